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
        "{link}このチャットを続ける場合: safepoint extend"
    ),
    "red_followup": (
        "Safepoint から、このチャットの利用者への連絡です。コンテキストが上限に近く、"
        "作業の状態は {handoff} に保存されています。このフォルダで新しいチャットを開くと、"
        "最初のメッセージで続きから始まります。{link}このメッセージの用件は利用者にこれを伝えることだけで、"
        "ツールは必要ありません。"
    ),
    "work_kept_user": "コミットしていない変更も別に保存しました。戻すには: safepoint restore --local",
    "work_kept_but_user": (
        "コミットしていない変更も別に保存しました。ただし次のものは含まれず、"
        "元のファイルにだけあります: {names}。戻すには: safepoint restore --local"
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
        "{link}このチャットを続ける場合: safepoint extend"
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
        " ({error})。safepoint generate で作り直せます。"
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
    "broken_user": (
        "Safepoint がこのフォルダで動作せず、何も監視していません ({error})。"
        "もう一度インストールすると直ります。"
    ),
    "sync_came_user": (
        "Safepoint: キャンペーン {slug} を {remote} から取得しました ({by}、{machine})。"
        "このチャットにその handoff を示します。"
    ),
    "sync_work_user": "コミットされていない作業ファイルを取り出すには: safepoint restore {slug}",
    "sync_trouble_user": (
        "Safepoint: {remote} に続きのキャンペーンがあるか確認できませんでした ({why})。"
        "手動では: safepoint pull"
    ),
    "manifest_changed_user": (
        "Safepoint: {manifest} がコンパイル後に変更されています。フックはまだ古い設定で動いています。"
        "反映するには、人が safepoint generate を実行します。"
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
    # --- 引き継ぎ ---
    "resume_reads": "このチャットが引き継ぐ状態は次のファイルにあります: {paths}",
    "resume_done": "下の「完了済み作業」にある項目は済んでおり、やり直す必要はありません。",
    "resume_rest": "handoff の続きです ({where})。",
    "resume_left_out": "長さの都合でこのメッセージにない項目: {names}。全文は {where} にあります。",
    "fresh_fresh": "作業ツリーは handoff を書いた時点から変わっていません。",
    "fresh_stale": "handoff を書いた後に作業ツリーが変わっています: {changes}",
    "fresh_unknown": "handoff を書いた後に作業ツリーが変わったかどうかは不明です ({changes})。",
    "fresh_foreign": "この handoff は別のリポジトリで書かれたものです。",
    "doubt_changed": "その後の変更: {path}",
    "doubt_gone": "なくなったもの: {path}",
    "doubt_commit": "もとにしたコミットが今の HEAD に含まれていない",
    "doubt_history": "その後のコミットが関わるかどうかは不明",
    # --- the recovery plan, one line ---
    "plan_redispatch_step": (
        "再開計画 (redispatch_step): step={step} はまだ完了していない。同じ入力（{inputs}）で {where} から"
        "続ける。step envelope: {envelope}"
    ),
    "plan_generate_envelope": (
        "再開計画 (generate_envelope): step={step} は途中だが step envelope がない。"
        "`safepoint step start {step}` で作ってから、入力 {inputs} で {where} から続ける。"
    ),
    "plan_resume_worker": (
        "再開計画 (resume_worker): step={step} で subagent が中断した: {workers}。先にその作業を続け、その後"
        "同じ入力（{inputs}）で {where} から続ける。"
    ),
    "plan_resume_worker_no_step": (
        "再開計画 (resume_worker): Step に属さない subagent が中断した: {workers}。先にその作業を続ける。"
    ),
    "plan_continue": "再開計画 (continue): 途中の Step はない。次のアクションから続ける。",
    "plan_nothing": "再開計画 (nothing): step={step} は {status}。残っている作業はない。",
    "plan_nothing_no_step": (
        "再開計画 (nothing): まだ Step は始まっておらず、中断したチャットもない。"
        "`safepoint step start 1` で始める。"
    ),
    "plan_ask_user": "再開計画 (ask_user): step={step} をどうするかは人が決める（{why}: {question}）。",
    "plan_reports": "その間に終わった subagent の報告（未読）: {paths}。",
    "plan_lost": "動いていて何も残さなかった subagent: {names}。",
    "plan_checkpoint": "スキル {skill} は {phase} まで進んでいる。チェックポイント: {path}。",
    "plan_start": "最初",
    "offered_others": (
        "このフォルダにある、ここに示していない handoff:\n"
        "{list}"
    ),
    "offer_line": "{slug}、{when} ({why})。人が引き受けるには: safepoint pick {id}",
    "why_claimed": "チャット {session} に提示済み",
    "why_other": "このチャットとは別のキャンペーン",
    "why_older": "最新ではない",
    "why_unknown": "そのチャットの開始が確認されていない",
    "claim_lost": (
        "Safepoint: このチャットに示された handoff は、{when} に別のチャット {session} ({host})"
        " が引き受けています。このまま進めると、同じ作業を 2 つのチャットが行うことになります。"
        "それでも引き受ける場合: safepoint pick {id}"
    ),
    # --- 人が送った `safepoint ...` への返事 ---
    "reply_status": (
        "Safepoint: {level}、{window} トークン中 {tokens} ({source}。ウィンドウ: {window_source})。"
        "Yellow は {yellow}、Red は {red} から。{paused}。\n"
        "キャンペーン: {campaign}。完了した todo: {total} 件中 {done} 件。\n"
        "待っている handoff: {pending}"
    ),
    "paused_on": "一時停止中",
    "paused_off": "動作中",
    "reply_extend": (
        "Safepoint: Red を {tokens} トークン引き上げ、{red} からにしました。このチャットは続行します。"
    ),
    "reply_extend_capped": "指定は {asked} トークンでしたが、Red はウィンドウの 97 % を超えません。",
    "reply_handoff_withdrawn": "新しいチャットを待っていた handoff は取り下げました。",
    "reply_extend_full": (
        "Safepoint: 何も変更していません。コンテキストは {tokens} トークンで、Red は最大でも {red} からです。"
        "延長してもすぐにまた止まります。このフォルダの新しいチャットが handoff の続きから始められます。"
    ),
    "reply_done": "Safepoint: すでに実行しました。",
    "reply_help": (
        "Safepoint: 「{word}」という言葉はありません。"
        "使えるのは次のとおりで、それぞれプロンプト全体として送ります: "
        "safepoint status、safepoint extend [トークン数]、safepoint pick ID、"
        "safepoint dismiss [ID]、safepoint pause"
    ),
    "reply_extend_refused": (
        "Safepoint: 「{argument}」はトークン数として読み取れません。例: safepoint extend、"
        "safepoint extend 20k"
    ),
    "reply_pick": "Safepoint: handoff {id} をこのチャットが引き受けました。内容は次のメッセージで示します。",
    "reply_pick_unknown": (
        "Safepoint: 「{id}」に当たる handoff を 1 件に絞れません。待っている handoff: {known}"
    ),
    "reply_dismiss": "Safepoint: handoff {id} は今後示しません。ファイルは残ります。",
    "reply_dismiss_none": "Safepoint: 対象の handoff を 1 件に絞れません。待っている handoff: {known}",
    "reply_pause_on": (
        "Safepoint: このチャットでは一時停止し、ツールを止めません。再開するには、もう一度: safepoint pause"
    ),
    "reply_pause_on_red": "一時停止の後、Red での最初のツールで保存し直し、再び新しいチャットを待ちます。",
    "reply_pause_off": "Safepoint: 一時停止を終えました。Red に達するとツールを止めます。",
    "reply_pause_off_red": (
        "このチャットは Red です。次のツールで状態を保存してツールを止め、"
        "handoff は再び新しいチャットを待ちます。"
    ),
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
    # --- handoff と再開: 見出し ---
    "handoff_title": "Handoff: {slug}",
    "written_draft": "作業中に書いた下書きです。",
    "written_red": "コンテキストが上限に近づき、次のツールを止める前にフックが書きました。",
    "written_compact": "ホストがチャットを圧縮する前にフックが書きました。",
    "written_moved": "キャンペーンを別のマシンへ送るときに書きました。",
    "written_end": "チャットの終了後に書かれました。",
    "label_position": "中断位置",
    "label_completed": "完了済み作業",
    "label_doubtful": "済んでいたが、その後変わったもの",
    "label_next_action": "次に実行するアクション",
    "label_resume_point": "resume-point 参照",
    "label_constraints": "再開時の制約",
    "label_open_errors": "未解決のエラー",
    "label_commands": "直近のコマンド",
    "label_files": "ファイル",
    "label_todo": "todo リスト",
    "label_git": "Git",
    "label_subagents": "実行中だった subagent",
    "label_notes": "エージェント自身のメモ (carried: 本人の申告で、未確認)",
    "label_others": "このフォルダの他の handoff",
    "label_fresh": "作業ツリーの状態",
    # --- handoff と再開: 行 ---
    "line_none": "- なし",
    "line_more": "- 他 {count} 件 ({where})",
    "line_more_short": "- 他 {count} 件",
    "line_step": "- ステップ: {step}",
    "line_step_phase": "- ステップ: {step} (フェーズ {phase})",
    "line_no_step": "- ステップ: 進行中のものはなし",
    "line_todo": "- todo: {total} 件中 {number} 件目: {item}",
    "line_todo_done": "- todo: {total} 件すべて完了",
    "line_no_todo": "- todo: リストなし",
    "line_file": "- 最後に扱ったファイル: {file}",
    "line_no_file": "- 最後に扱ったファイル: なし",
    "line_last": "- 最後に完了したツール: {tool}: {summary}",
    "line_last_exit": "- 最後に完了したツール: {tool}: {summary} (exit {exit})",
    "line_no_last": "- 最後に完了したツール: なし",
    "line_reading": "- コンテキスト: {percent}% ({window} トークン中 {tokens}、{source})、{level}",
    "line_no_reading": "- コンテキスト: 不明、{level}",
    "line_prompt": "- 最後のプロンプト: {text}",
    "known_verified": "verified: {evidence}",
    "known_carried": "carried: {evidence}",
    "completed_about": (
        "verified はフックが成功を確認したもの、carried はエージェントや todo リストの申告です。"
    ),
    "completed_done": "すでに済んでいて、やり直す必要のない作業です。",
    "evidence_exit_0": "exit 0",
    "evidence_file": "ファイル書き込み",
    "evidence_todo": "todo リスト",
    "evidence_subagent": "subagent の報告",
    "next_todo": "{text}",
    "next_substep": "サブステップ: {text}",
    "next_failing_command": "最後に失敗し、未解決のコマンド: {text}",
    "next_prompt": "人からの最後のプロンプト: {text}",
    "next_none": "記録なし (todo リスト、失敗したコマンド、プロンプトのいずれもなし)。",
    "next_reads": "関係するファイル: {paths}",
    "exit_known": "exit {exit}",
    "exit_unknown": "exit 不明",
    "command_in": "{exit}、場所 {cwd}",
    "line_changed": "- 変更: {file}",
    "line_read": "- 読み取り: {file}",
    "line_branch": "- ブランチ: {branch}",
    "line_no_branch": "- ブランチ: なし (detached)",
    "line_commit": "- コミット: {commit}",
    "line_git_changed": "- 作業ツリーで変更されたファイル: {count} 件",
    "line_git_file": "  - {file}",
    "line_git_more": "  - 他 {count} 件",
    "line_git_cut": "  - 一覧は途中まで",
    "line_untracked": "- うち未追跡: {count} 件",
    "line_no_git": "- 不明: {why}",
    "git_not_asked": "この handoff では未取得",
    "line_path": "- {what}: {path}",
    "path_point": "resume-point (JSON)",
    "path_checkpoint": "チェックポイント (JSON、以後変更なし)",
    "path_envelope": "step envelope",
    "path_report": "タスクレポート",
    "path_notes": "エージェント自身のメモ (残していれば)",
    "path_none": "なし",
}
