"""引き継ぎ書、新しいチャットへの知らせ、復旧の計画の文。日本語。"""

from __future__ import annotations

MESSAGES = {
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
    "offer_line": "{slug}、{when} ({why})。人が引き受けるには次を送信: safepoint pick {id}",
    "why_claimed": "チャット {session} に提示済み",
    "why_other": "このチャットとは別のキャンペーン",
    "why_older": "最新ではない",
    "why_unknown": "そのチャットの開始が確認されていない",
    "claim_lost": (
        "Safepoint: このチャットに示された handoff は、{when} に別のチャット {session} ({host})"
        " が引き受けています。このまま進めると、同じ作業を 2 つのチャットが行うことになります。"
        "それでも引き受けるには次を送信: safepoint pick {id}"
    ),
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
    "line_git_not_asked": "この handoff では未取得",
    "line_path": "- {what}: {path}",
    "path_point": "resume-point (JSON)",
    "path_checkpoint": "チェックポイント (JSON、以後変更なし)",
    "path_envelope": "step envelope",
    "path_report": "タスクレポート",
    "path_notes": "エージェント自身のメモ (残していれば)",
    "path_none": "なし",
}
