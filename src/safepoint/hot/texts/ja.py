"""日本語。モデルが読む文は事実を述べる (命令に見える文は注入への防御に触れる)。"""

from __future__ import annotations

MESSAGES = {
    # --- ツールを実行しなかったとき ("PreToolUse:Bash hook error: " の後に続く) ---
    "deny_full": (
        "Safepoint はこのツールを実行しませんでした。このチャットのコンテキストが上限に近いためです"
        " (使用率 {percent}%、{window} トークン中 {tokens}、{source}。Red は {red} から)。"
        "ツール自体に問題はなく、このチャットの他のツールも同じ扱いになります。\n"
        "保存済み: handoff {handoff}、チェックポイント {checkpoint}、resume-point {resume_point}。"
        "このフォルダで新しいチャットを開くと、最初のメッセージで handoff が示されます。{link}\n"
        "このチャットでまだ使えるもの (合わせて {grace_calls} 回): メモ {notes} (次のチャットに残す言葉)、"
        "タスクレポート、todo ツール、単独のコマンド {grace_commands}。\n"
        "人が「safepoint extend」とだけ送れば、このチャットを続けられます。"
        "「safepoint status」で数値を確認できます。"
    ),
    "deny_compacted": (
        "Safepoint はこのツールを実行しませんでした。このチャットはホストによって圧縮され、"
        "残っているのは要約だけです (現在の使用率 {percent}%、{window} トークン中 {tokens})。"
        "このリポジトリでは、圧縮されたチャットは新しいチャットに引き継ぎます。ツール自体に問題はなく、"
        "このチャットの他のツールも同じ扱いになります。\n"
        "圧縮前に保存済み: handoff {handoff}、チェックポイント {checkpoint}、resume-point {resume_point}。"
        "このフォルダで新しいチャットを開くと、最初のメッセージで handoff が示されます。{link}\n"
        "このチャットでまだ使えるもの (合わせて {grace_calls} 回): メモ {notes} (次のチャットに残す言葉)、"
        "タスクレポート、todo ツール、単独のコマンド {grace_commands}。\n"
        "人が「safepoint extend」とだけ送れば、このチャットを続けられます。"
        "「safepoint status」で数値を確認できます。"
    ),
    "deny_subagent": (
        "Safepoint はこのツールを実行しませんでした。この subagent のコンテキストが上限に近いためです"
        " (使用率 {percent}%、{window} トークン中 {tokens}、{source}。Red は {red} から)。"
        "ツール自体に問題はなく、この subagent の他のツールも同じ扱いになります。\n"
        "状態は保存済みです: handoff {handoff}、チェックポイント {checkpoint}。いま報告する内容は、"
        "起動元のチャットに渡ります。起動元は残りの作業を新しい subagent に渡せます。"
    ),
    "deny_unlisted": (
        "Safepoint はこのツールを実行しませんでした。このチャットのコンテキストが一杯です: {percent}%"
        " ({window} トークン中 {tokens}、{source}。Red は {red} から)。"
        "ツール自体に問題はなく、ここでは他のツールも同じ扱いになります。\n"
        "保存済み: handoff {handoff}、チェックポイント {checkpoint}。"
        "このチャットの起動元は分かりません。サブエージェントなら、いま報告する内容は起動元のチャットに渡ります。"
        "このフォルダの新しいチャットには、この handoff が 1 行で示されます。"
        "人が \"safepoint extend\" をプロンプト全体として送れば、ここで続けられます。"
    ),
    "subagent_halted": (
        "Safepoint: subagent {agent} はコンテキストが上限に近い状態で終了し、報告を残していません。"
        "どこまで進んだかは {handoff} にあります。"
    ),
    "deny_brief": (
        "Safepoint はこのツールも実行しませんでした。理由は同じメッセージの最初の呼び出しで示しました。"
        "保存した状態: {handoff}"
    ),
    # --- レベル ---
    "yellow_user": (
        "Safepoint: コンテキスト使用率は {percent}% です ({window} トークン中 {tokens}、{source})。"
        "Red は {red} からで、mode が enforce ならツールを止め、作業を新しいチャットに引き継ぎます。"
        "handoff の下書きは保存済みです。"
    ),
    "yellow_model": (
        "Safepoint: このチャットのコンテキスト使用率は {percent}% です ({window} トークン中 {tokens}、"
        "{source})。Red は {red} トークンからで、mode が enforce なら、そこで状態が保存され、"
        "このチャットのツールは実行されなくなり、新しいチャットが続きを引き受けます。"
        "大量に読み書きする作業は、subagent が行うとこのチャットの残量をあまり使いません。"
        "ステップの区切りが、チャットを替えるのに最も適した場所です。handoff の下書き: {handoff}"
    ),
    "red_warn_user": (
        "Safepoint: コンテキスト使用率は {percent}% で ({window} トークン中 {tokens}、{source})、"
        "Red ({red}) を超えています。このモードではツールを止めません。現時点の handoff: {handoff}"
    ),
    "red_warn_model": (
        "Safepoint: このチャットのコンテキスト使用率は {percent}% で ({window} トークン中 {tokens}、"
        "{source})、Red ({red}) を超えています。mode が enforce ならこのツールは止まりますが、"
        "ここでは実行されます。新しいチャットは、現時点の handoff から続けられます: {handoff}"
    ),
    "red_stop_user": (
        "Safepoint: コンテキストが上限に近いため、状態を {handoff} に保存しました。"
        "このフォルダで新しいチャットを開くと、最初のメッセージで続きから始まります。"
        "{link}このチャットを続けるには、次のとおり送信します: safepoint extend"
    ),
    "red_followup": (
        "Safepoint から、このチャットの利用者への連絡です。コンテキストが上限に近く、"
        "作業の状態は {handoff} に保存されています。このフォルダで新しいチャットを開くと、"
        "最初のメッセージで続きから始まります。{link}このメッセージの用件は利用者にこれを伝えることだけで、"
        "ツールは必要ありません。"
    ),
    "work_kept_user": "コミットしていない変更も別に保存しました。戻すには、端末で: safepoint restore --local",
    "work_kept_but_user": (
        "コミットしていない変更も別に保存しました。ただし次のものは含まれず、"
        "元のファイルにだけあります: {names}。戻すには、端末で: safepoint restore --local"
    ),
    "work_none_user": (
        "コミットしていない変更は、git が取り込めなかったため別に保存していません: {names}。"
        "ファイルはそのままです。"
    ),
    "work_skipped_user": "コミットしていない変更は別に保存していません ({why})。ファイルはそのままです。",
    "work_large": "変更が多すぎるため",
    "work_late": "git に時間がかかりすぎたため",
    "work_failed": "git で保存できなかったため",
    "halt": (
        "Safepoint はこのターンを終えました。コンテキストが上限に近く、"
        "理由を示した後もツールが呼ばれたためです。状態は {handoff} に保存済みです。"
        "このフォルダで新しいチャットを開くと、最初のメッセージで続きから始まります。"
        "{link}このチャットを続けるには、次のとおり送信します: safepoint extend"
    ),
    "link_clause": "次のリンクからも開けます: {link} 。",
    "run_resume_prompt": "しばらくモデルに接続できませんでした。作業は中断した箇所から続きます。",
    "link_prompt": "{slug} の続き (safepoint handoff {id})",
    # --- 障害 ---
    "save_failed_user": (
        "Safepoint: コンテキストが上限に近いものの、状態を保存できなかったため、ツールは止めていません。"
        "理由: {error}"
    ),
    "fault_user": "Safepoint: {kind}。ツールはフックがない場合と同じように続行しました。詳細: {log}",
    "no_settings_user": (
        "Safepoint: .cursor/hooks/settings.json を読み取れないため、このフォルダでは何も監視していません"
        " ({error})。端末の safepoint generate で作り直せます。"
    ),
    "kind_deadline": "フックが時間切れになりました",
    "kind_payload": "ホストから届いたデータを読み取れませんでした",
    "kind_permission": "権限がなく、ファイルを開けませんでした",
    "kind_files": "Safepoint 自身のファイルが見つかりません",
    "kind_disk": "ファイルの読み書きに失敗しました",
    "kind_internal": "Safepoint 内部でエラーが起きました",
    "state_rebuilt_user": (
        "Safepoint: このチャットの状態ファイルが壊れていたため、ジャーナルから復元しました。"
    ),
    "unsaved_user": (
        "Safepoint: このチャットの状態ファイルに書き込めません ({why})。内容はすべてジャーナルにあり、"
        "失われたものはありません。フックは遅くなります。"
    ),
    "unread_user": (
        "Safepoint: このチャットのトランスクリプトを読み取れません ({why})。コンテキストの使用量は、"
        "フックを通った内容から推定します。"
    ),
    "unread_handoffs_user": (
        "Safepoint: 次のファイルは引き継ぎ待ちの handoff かもしれませんが、読み取れないため表示しません。"
        "\n{list}"
    ),
    "git_user": (
        "Safepoint: git から作業ツリーの情報を得られませんでした ({why})。handoff にはコミット、ブランチ、"
        "変更ファイルの一覧がありません。"
    ),
    "switch_user": (
        "Safepoint: {where} の値「{value}」は enforce、warn、off のどれでもないため、何も変わりません。"
    ),
    "switch_file_user": (
        "Safepoint: {where} に、フックが使えないものがあります ({why})。書けるのは、キー mode（値は"
        " off、warn、enforce のどれか）だけの JSON オブジェクトです。"
    ),
    "broken_user": (
        "Safepoint がこのフォルダで動作せず、何も監視していません ({error})。"
        "もう一度インストールすると直ります。"
    ),
    "sync_came_user": (
        "Safepoint: キャンペーン {slug} を {remote} から取得しました ({by}、{machine})。"
        "このチャットにその handoff を示します。"
    ),
    "sync_work_user": "コミットされていない作業ファイルを取り出すには、端末で: safepoint restore {slug}",
    "sync_trouble_user": (
        "Safepoint: {remote} に続きのキャンペーンがあるか確認できませんでした ({why})。"
        "端末では: safepoint pull"
    ),
    "manifest_changed_user": (
        "Safepoint: {manifest} がコンパイル後に変更されています。フックはまだ古い設定で動いています。"
        "反映するには、人が端末で safepoint generate を実行します。"
    ),
    # --- compaction ---
    "compact_saved_user": (
        "Safepoint: 圧縮前の状態を {path} に保存しました。このフォルダで新しいチャットを開くと、"
        "最初のメッセージで続きから始まります。"
    ),
    "compact_brief_head": (
        "Safepoint: このチャットは圧縮されました。以下は圧縮前にフックが記録した内容です (キャンペーン"
        " {slug}、ステップ {step})。"
    ),
    "compact_brief_more": "詳細: {path}",
    # --- タスクレポートの中の Safepoint の節 ---
    "report_section": (
        "**中断** (チャット {session}、ステップ {step}、todo {done}/{total})。Safepoint が記録しました。\n"
        "\n"
        "- 次: {next}\n"
        "- handoff: {handoff}"
    ),
    # --- 数値の出どころ ---
    "worker_task": "タスク: {task}",
    "worker_report": "最後の言葉（carried: 本人の申告、未確認）:",
    "worker_silent": "言葉は残っていない。変更したものは outputs にある。",
    "checkpoint_remind": (
        "Safepoint: スキル {skill} の subagent が終わった。フックは {path}（フェーズ {phase}）に記録した。"
        "報告にしかないことはまだ書かれていない。スキルの契約: {update}。"
        "書き込むコマンド: safepoint checkpoint save"
        " --phase PHASE --worker NAME --text TEXT"
    ),
    "step_start_advice": (
        "このチャットのコンテキストはすでに {level}。"
        "長い Step は新しいチャットで始めるか、subagent に任せるとよい。"
        "新しいチャットはこの step envelope から続けられる。"
    ),
    "report_steps": "Step の状況（Safepoint が更新）:",
    "source_host": "ホストの申告値",
    "source_transcript": "トランスクリプトの実測値",
    "source_turn_sum": "ターン合計からの計算値",
    "source_unconfirmed": "ターン合計からの計算値 (次のターンでの確認待ち)",
    "source_estimate": "推定値",
    "source_proxy": "大まかな目安",
    "source_unknown": "不明",
    "window_host": "ホストの申告値",
    "window_learned": "このモデルで以前に確認した値",
    "window_model_table": "モデル名による値",
    "window_ambiguous": "2 通りのサイズがあるモデル",
    "window_host_default": "ホストの標準値",
    "window_unknown": "不明",
    "level_green": "Green",
    "level_yellow": "Yellow",
    "level_red": "Red",
}
