"""What is said of the todo list, in Japanese."""

from __future__ import annotations

MESSAGES = {
    "todo_count": "({done}/{total} 完了)",
    "todo_more": "ほか {count} 件",
    # --- rules: read by the model behind a host's "hook error:" ---
    "todo_refused": "Safepoint はこの呼び出しを実行していません。todo リストは元のままです。{reason}",
    "todo_warned": "todo リストについての Safepoint の規則 (呼び出しは止めていません): {reason}",
    "todo_rule_list": (
        "入力に項目の配列がありません。受け付ける形:"
        ' {{"content": "...", "status": "pending | in_progress | completed", "activeForm": "..."}} の配列'
    ),
    "todo_rule_required": (
        "各項目には必須フィールドがありますが、{number} 番目の項目（「{item}」）に {field} がありません。"
        "{field} に文字列を入れた同じ呼び出しなら通ります。"
    ),
    "todo_rule_empty": (
        "空の項目は置けませんが、{number} 番目の項目の {field} が空です。"
        "文字を入れた同じ呼び出しなら通ります。"
    ),
    "todo_rule_status": "「{item}」の status「{status}」は使えません。使えるもの: {allowed}。",
    "todo_rule_duplicate": (
        "未完了の項目に重複は置けません。「{item}」はすでにあります（項目 {id}）。"
        "その項目を更新するか、違いがわかる書き方にすれば通ります。"
    ),
    "todo_rule_max_open": (
        "未完了の項目は {max} 件までで、「{item}」を加えると {open} 件になります。"
        "どれかを completed にするか削除すれば追加できます。小さな手順は 1 項目にまとめられます。"
    ),
    "todo_rule_one_in_progress": (
        "in_progress にできるのは同時に 1 件だけで、今は「{other}」がそうなので「{item}」は始められません。"
        "「{other}」（項目 {id}）を completed、または後回しなら pending にすれば {tool} は通ります。"
        "2 つを同じメッセージで呼んでもかまいません。"
    ),
    "todo_rule_unknown": "項目 {item} はありません。このリストの項目: {known}。",
    # --- reminders ---
    "reminder_stale": (
        "Safepoint: todo リストが最後に変わってから {requests} リクエストが過ぎました。未完了の項目:\n"
        "{list}\n"
        "作業がこのリストより進んでいれば {tool} で合わせられます。そうでなければ何もしなくてかまいません。"
        "これはユーザーに伝えるための文ではありません。"
    ),
    "reminder_initial": (
        "Safepoint: 複数の手順からなる作業のようです。todo リスト（{tool}）があれば、手順がエージェントにも"
        "ユーザーにも見えます。小さな作業には要りません。これはユーザーに伝えるための文ではありません。"
    ),
    "reminder_no_call": (
        "Safepoint: todo リストを使わないまま {requests} リクエストが過ぎ、作業は複数の手順になっています。"
        "{tool} を使えば、済んだことと残りが見えます。残りが少なければ要りません。"
        "これはユーザーに伝えるための文ではありません。"
    ),
}
