"""Japanese throughout: settings, todos, file names, commands."""

import json

from model_script import bash, call, turn
from safepoint_install import HEADER, Safepoint, told

TASKS = "Bash Read Write Edit Agent TaskCreate TaskUpdate"
TODOS = ["認証の期限を設計書に書く", "「期限切れ」のテストを通す 🔑", "ドキュメントを更新する"]


def test_japanese_work_is_handed_over_whole(claude, project, model):
    safepoint = Safepoint(project, "--language", "ja")
    project.git("switch", "--quiet", "--create", "機能/認証")
    stub = model(
        turn(call("ToolSearch", query="select:TaskCreate,TaskUpdate"), tokens=20_000),
        turn(*[call("TaskCreate", subject=text, description=text) for text in TODOS]),
        turn(call("TaskUpdate", taskId="1", status="completed"),
             call("TaskUpdate", taskId="2", status="in_progress")),
        turn(call("Write", file_path=str(project.path / "設計 書/認証.md"), content="期限は三十日。\n")),
        turn(bash("cat '設計 書/認証.md' && sh -c 'exit 4'"), tokens=130_000),
        turn(bash("touch 実行されない"), tokens=160_000),
        "ここまでです。",
    )  # fmt: skip
    run = claude.run(project, stub, "認証に期限を付けてください", tools=TASKS)
    assert run.text == "ここまでです。" and not (project.path / "実行されない").exists()
    assert "コンテキスト" in stub.main[-1].new_tool_results[0]
    yellow, red = told(run)
    assert "コンテキスト使用率は 65%" in yellow and "新しいチャット" in red

    (checkpoint,) = safepoint.checkpoints(run.session_id)
    point = json.loads(checkpoint.read_text("utf-8"))["resume_point"]
    assert [item["content"] for item in point["todos"]] == TODOS
    assert point["todo_progress"] == {"done": 1, "total": 3, "current_item": TODOS[1]}
    assert point["files_changed"] == ["設計 書/認証.md"]
    assert point["recent_commands"][0]["command"] == "cat '設計 書/認証.md' && sh -c 'exit 4'"
    assert point["git_snapshot"]["branch"] == "機能/認証"
    handoff = safepoint.handoff(run).read_text("utf-8")
    for heading in ("中断位置", "完了済み作業", "次に実行するアクション", "resume-point 参照"):
        assert f"\n## {heading}\n" in handoff
    assert TODOS[1] in handoff and "\\u" not in handoff and "\ufffd" not in handoff
    safepoint.validate(checkpoint, safepoint.handoff(run))

    new = model(turn(bash("touch 続き"), tokens=20_000))
    second = claude.run(project, new, "こんにちは")
    (text,) = [text for text in new.main[0].reminders if HEADER in text]
    assert text.count(HEADER) == 1 and len(text.encode()) <= 8192
    assert "step=-, resume from todo 2/3." in text
    for part in (*TODOS, "設計 書/認証.md", "期限切れ", "完了済み作業"):
        assert part in text
    assert "\ufffd" not in text
    assert safepoint.pending() == [] and (project.path / "続き").exists()
    assert safepoint.state(second)["campaign_slug"] == point["campaign_slug"]
    assert safepoint.errors == []
