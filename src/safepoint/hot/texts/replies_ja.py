"""`safepoint ...` というプロンプトへの返事。日本語。"""

from __future__ import annotations

MESSAGES = {
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
    "reply_scheduled": (
        "Safepoint: 「safepoint {word}」はスケジュールから送られたため、何も変更しません。"
        "人が送ったときに働きます。"
    ),
    "reply_extend_refused": (
        "Safepoint: 「{argument}」はトークン数として読み取れません。例: safepoint extend、"
        "safepoint extend 20k"
    ),
    "reply_pick": "Safepoint: handoff {id} をこのチャットが引き受けました。内容は次のメッセージで示します。",
    "reply_pick_failed": (
        "Safepoint: handoff {id} を引き受けられませんでした。"
        "ファイルが読めないか、別のチャットが先に引き受けました。"
    ),
    "reply_dismiss": "Safepoint: handoff {id} は今後示しません。ファイルは残ります。",
    "reply_none_waits": "Safepoint: このフォルダで待っている handoff はありません。",
    "reply_unknown_handoff": "Safepoint: 「{id}」という handoff は待っていません。待っているもの:\n{list}",
    "reply_which_handoff": (
        "Safepoint: どの handoff か決まりません。ID か、1 件に決まる長さの ID の先頭を付けてください:"
        " safepoint {word} ID\n{list}"
    ),
    "reply_pause_on": (
        "Safepoint: このチャットでは一時停止し、ツールを止めません。再開するには、もう一度: safepoint pause"
    ),
    "reply_pause_on_red": "一時停止の後、Red での最初のツールで保存し直し、再び新しいチャットを待ちます。",
    "reply_pause_off": "Safepoint: 一時停止を終えました。Red に達するとツールを止めます。",
    "reply_pause_off_red": (
        "このチャットは Red です。次のツールで状態を保存してツールを止め、"
        "handoff は再び新しいチャットを待ちます。"
    ),
}
