from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from safepoint.hot import files, front_matter, session, slugs
from safepoint.hot.stores import campaigns, tracker_file
from safepoint.hot.stores.campaigns import Campaign, resolve
from safepoint.hot.stores.paths import Paths

posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and links")

KEY, SESSION_ID, REPORTS = "abcdef0123", "abcdef0123", "docs/reports"
OPEN, TICKED = "# T\n\n- [x] a\n- [ ] b\n", "# T\n\n- [x] a\n"
BY_SESSION = Campaign("session-abcdef01", "session", "")


def git(project: Path, *words: str) -> None:
    env = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *who, *words], cwd=project, env=env, check=True, capture_output=True)


def repository(project: Path, branch: str) -> None:
    """A repository with a commit on main, and `branch` checked out."""
    git(project, "init", "-q", "-b", "main", "--template=")
    git(project, "commit", "-q", "--allow-empty", "-m", "x")
    if branch != "main":
        git(project, "checkout", "-q", *(["-b", branch] if branch != "--detach" else [branch]))


def put_reports(project: Path, reports: dict[str, str], folder: str = REPORTS) -> None:
    (project / folder).mkdir(parents=True, exist_ok=True)
    for name, text in reports.items():
        (project / folder / name).write_text(text, encoding="utf-8")


def put_tracker(project: Path, **fields: str) -> None:
    path = Path(Paths(str(project)).tracker(KEY))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(front_matter.patch("# Mine\n", fields), encoding="utf-8")


def find(project: Path, env: str = "", report_dir: str = REPORTS, session_id: str = SESSION_ID) -> Campaign:
    variables = {campaigns.ENV_NAME: env} if env else {}
    settings: Any = {"campaign": {"report_dir": report_dir, "artifact_dir": ".cursor/.artifacts"}}
    return resolve(Paths(str(project)), KEY, session_id, variables, settings)


# --- which rule ------------------------------------------------------------------------------------------

RULES = ("env", "tracker", "report", "branch")
COMBINATIONS = [
    pytest.param(dict(zip(RULES, there)), id="+".join(itertools.compress(RULES, there)) or "none")
    for there in itertools.product([True, False], repeat=len(RULES))
]


@pytest.mark.parametrize("there", COMBINATIONS)
def test_first_rule_that_names_one(tmp_path: Path, there: dict[str, bool]) -> None:
    repository(tmp_path, "by-branch" if there["branch"] else "main")
    if there["tracker"]:
        put_tracker(tmp_path, campaign="by-tracker")
    if there["report"]:
        put_reports(tmp_path, {"by-report.md": OPEN})
    found = find(tmp_path, "by-env" if there["env"] else "")
    by = next((rule for rule in RULES if there[rule]), "session")
    slug = f"by-{by}" if by != "session" else "session-abcdef01"
    assert found == Campaign(slug, by, f"{REPORTS}/by-report.md" if by == "report" else "")
    assert (found.slug, found.by, found.report) == tuple(found)


def test_outside_of_git(tmp_path: Path) -> None:
    assert find(tmp_path) == BY_SESSION


def test_detached_head_is_no_branch(tmp_path: Path) -> None:
    repository(tmp_path, "--detach")
    assert find(tmp_path) == BY_SESSION


@pytest.mark.parametrize(
    "name", ["Feature/Login", "\u65e5\u672c\u8a9e", "a--b", "x" * 100, "../../etc", " ", "a\nb"]
)
def test_every_slug_is_a_safe_name(tmp_path: Path, name: str) -> None:
    put_tracker(tmp_path, campaign=name)
    for found in (find(tmp_path, name), find(tmp_path)):
        assert found.slug == slugs.slugify(found.slug)
        assert files.safe_name(found.slug) == found.slug


@pytest.mark.parametrize(
    ("session_id", "slug"),
    [
        ("0123456789", "session-01234567"),
        ("a", "session-a"),
        ("../../x", f"session-{files.safe_name('../../x')[:8]}"),
        ("", f"session-{files.safe_name('')[:8]}"),
        ("ABC", slugs.slugify("session-ABC")),
    ],
)
def test_session_is_the_last_resort(tmp_path: Path, session_id: str, slug: str) -> None:
    assert find(tmp_path, session_id=session_id) == Campaign(slug, "session", "")


# --- which report ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "tracker", "reports", "slug", "report"),
    [
        pytest.param("fix", {}, {"fix.md": TICKED}, "fix", "fix.md", id="env-by-slug"),
        pytest.param("Fix It", {}, {"Fix It.md": OPEN}, "Fix It", "Fix It.md", id="env-by-name"),
        pytest.param("fix", {}, {"other.md": OPEN}, "fix", "", id="env-none-of-its-name"),
        pytest.param("fix", {"report": "r/fix.md"}, {}, "fix", "", id="env-tracker-names-a-missing-one"),
        pytest.param("", {"campaign": "fix"}, {"fix.md": TICKED}, "fix", "fix.md", id="tracker-by-slug"),
        pytest.param("", {"report": f"{REPORTS}/a.md"}, {"a.md": TICKED}, "a", "a.md", id="tracker-report"),
        pytest.param(
            "", {"campaign": "fix", "report": f"{REPORTS}/x.md"}, {"x.md": "", "fix.md": ""}, "fix", "x.md",
            id="tracker-both",
        ),
        pytest.param(
            "fix", {"campaign": "fix", "report": f"{REPORTS}/x.md"}, {"x.md": OPEN}, "fix", "x.md",
            id="env-and-tracker-agree",
        ),
        pytest.param(
            "fix", {"campaign": "b", "report": f"{REPORTS}/x.md"}, {"x.md": OPEN}, "fix", "",
            id="tracker-of-another-campaign",
        ),
        pytest.param("", {"campaign": "fix", "report": "README.py"}, {}, "fix", "", id="tracker-no-markdown"),
        pytest.param("", {"campaign": "fix", "report": "no.md"}, {"fix.md": ""}, "fix", "fix.md", id="gone"),
        pytest.param("../x", {}, {}, "../x", "", id="hostile-name"),
    ],
)  # fmt: skip
def test_report_of_the_campaign(
    tmp_path: Path, env: str, tracker: dict[str, str], reports: dict[str, str], slug: str, report: str
) -> None:
    (tmp_path / "README.py").write_text("")
    put_reports(tmp_path, reports)
    put_tracker(tmp_path, **tracker)
    found = find(tmp_path, env)
    assert (found.slug, found.report) == (slugs.slugify(slug), report and f"{REPORTS}/{report}")


@pytest.mark.parametrize("report", ["../out.md", "/etc/passwd.md", "~/x.md", "C:\\x.md", "nul\0.md", "."])
def test_tracker_cannot_point_out_of_the_project(tmp_path: Path, report: str) -> None:
    (tmp_path / "out.md").write_text(OPEN)
    (tmp_path / "project").mkdir()
    put_tracker(tmp_path / "project", report=report)
    assert find(tmp_path / "project") == BY_SESSION


def test_branch_finds_its_report(tmp_path: Path) -> None:
    repository(tmp_path, "fix")
    put_reports(tmp_path, {"fix.md": TICKED})
    assert find(tmp_path) == Campaign("fix", "branch", f"{REPORTS}/fix.md")


# --- the one open report ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        pytest.param("", True, id="empty"),
        pytest.param(OPEN, True, id="a-box-is-open"),
        pytest.param(TICKED, False, id="all-ticked"),
        pytest.param("---\nstatus: in_progress\n---\n", True, id="in-progress"),
        *[
            pytest.param(f"---\nstatus: {status}\n---\n" + TICKED, True, id=f"{status}-all-ticked")
            for status in ("open", "Open", "in_progress", "'in progress'", "active # still")
        ],
        pytest.param("---\nstatus: reviewed\n---\n" + TICKED, False, id="another-word-all-ticked"),
        pytest.param("---\nstatus:\n---\n" + TICKED, False, id="no-word-all-ticked"),
        *[
            pytest.param(f"---\nstatus: {status}\n---\n{OPEN}", False, id=status)
            for status in ("done", "Finished", "complete", "completed", "'closed'", "archived # long ago")
        ],
        pytest.param("\ufeff---\r\nstatus: done\r\n---\r\n", False, id="bom-crlf"),
        pytest.param("---\nstatus: done\n" + OPEN, True, id="no-front-matter-after-all"),
        pytest.param(f"{TICKED}```\n- [ ] b\n```\n", False, id="box-in-code"),
        pytest.param(
            f"{TICKED}<!-- safepoint:begin -->\n- [ ] b\n<!-- safepoint:end -->\n",
            False,
            id="box-of-safepoints-own",
        ),
    ],
)
def test_open_report(tmp_path: Path, text: str, is_open: bool) -> None:
    put_reports(tmp_path, {"fix.md": text})
    assert find(tmp_path) == (Campaign("fix", "report", f"{REPORTS}/fix.md") if is_open else BY_SESSION)


@pytest.mark.parametrize(
    ("names", "slug"),
    [
        pytest.param(["a.md", "b.md"], "", id="two"),
        pytest.param(["a.md", "b.txt", "c.md.bak"], "a", id="other-suffixes"),
        pytest.param(["a.md", "README.md", "index.md", "_draft.md", ".hidden.md"], "a", id="no-reports"),
        pytest.param(["Fix It!.md"], slugs.slugify("Fix It!"), id="name-made-a-slug"),
    ],
)
def test_exactly_one_report(tmp_path: Path, names: list[str], slug: str) -> None:
    put_reports(tmp_path, dict.fromkeys(names, OPEN))
    put_reports(tmp_path, {"nested.md": OPEN}, f"{REPORTS}/old")
    assert find(tmp_path).slug == (slug or BY_SESSION.slug)


@pytest.mark.parametrize(
    "report_dir", ["..", "../project/docs", "/tmp", "", ".", "~", "nul\0", "missing", "a.md"]
)
def test_folder_elsewhere_is_refused(tmp_path: Path, report_dir: str) -> None:
    project = tmp_path / "project"
    put_reports(project, {"a.md": OPEN}, ".")
    put_reports(tmp_path, {"a.md": OPEN}, ".")
    assert find(project, report_dir=report_dir) == BY_SESSION
    assert find(project, "a", report_dir=report_dir).report == ""


@posix_only
@pytest.mark.parametrize("target", ["../../../outside/a.md", "a.md", "missing.md", "..", "/dev/zero"])
def test_links_out_of_the_project_are_ignored(tmp_path: Path, target: str) -> None:
    put_reports(tmp_path, {"a.md": OPEN}, "outside")
    put_reports(tmp_path / "project", {"b.md": OPEN})
    (tmp_path / "project" / REPORTS / "a.md").symlink_to(target)
    assert find(tmp_path / "project") == Campaign("b", "report", f"{REPORTS}/b.md")
    assert find(tmp_path / "project", "a").report == ""


@posix_only
def test_report_folder_behind_a_link_out_of_the_project(tmp_path: Path) -> None:
    put_reports(tmp_path, {"a.md": OPEN}, "outside")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "docs").symlink_to("../outside")
    assert find(tmp_path / "project", report_dir="docs") == BY_SESSION


@posix_only
def test_pipes_and_folders_are_no_reports(tmp_path: Path) -> None:
    put_reports(tmp_path, {"a.md": OPEN})
    os.mkfifo(tmp_path / REPORTS / "b.md")
    (tmp_path / REPORTS / "c.md").mkdir()
    assert find(tmp_path).report == f"{REPORTS}/a.md"


def test_only_the_beginning_of_a_report_is_read(tmp_path: Path) -> None:
    put_reports(tmp_path, {"a.md": TICKED + "x\n" * 40_000 + OPEN, "b.md": OPEN})
    assert find(tmp_path).report == f"{REPORTS}/b.md"


def test_only_the_newest_reports_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaigns, "MAX_REPORTS", 3)
    put_reports(tmp_path, {f"{number}.md": OPEN if number < 5 else TICKED for number in range(9)})
    for number in range(9):
        os.utime(tmp_path / REPORTS / f"{number}.md", (number, number))
    assert find(tmp_path) == BY_SESSION
    os.utime(tmp_path / REPORTS / "2.md", (100, 100))
    assert find(tmp_path).slug == "2"


def test_a_folder_too_large_names_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaigns, "MAX_ENTRIES", 3)
    put_reports(tmp_path, {"a.md": OPEN, "b.txt": "", "c.txt": ""})
    assert find(tmp_path).slug == "a"
    put_reports(tmp_path, {"d.txt": ""})
    assert find(tmp_path) == BY_SESSION


# --- together with the tracker that Safepoint writes -----------------------------------------------------


def write_tracker(project: Path, found: Campaign) -> None:
    state = session.new_state(SESSION_ID, "", "cursor")
    state["campaign_slug"], state["campaign_by"], state["report"] = found
    tracker_file.write(Paths(str(project)), KEY, state)


def test_own_tracker_does_not_freeze_the_campaign(tmp_path: Path) -> None:
    write_tracker(tmp_path, find(tmp_path))
    assert find(tmp_path) == BY_SESSION
    put_reports(tmp_path, {"fix.md": OPEN})
    assert find(tmp_path).by == "report"


@pytest.mark.parametrize("name", ["campaign", "report"])
def test_edited_tracker_wins_from_then_on(tmp_path: Path, name: str) -> None:
    put_reports(tmp_path, {"fix.md": OPEN, "other.md": TICKED})
    write_tracker(tmp_path, find(tmp_path))
    path = Path(Paths(str(tmp_path)).tracker(KEY))
    value = "other" if name == "campaign" else f"{REPORTS}/other.md"
    path.write_text(front_matter.patch(path.read_text(), {name: value}))
    for _ in range(3):
        found = find(tmp_path)
        assert found == Campaign("other", "tracker", f"{REPORTS}/other.md")
        write_tracker(tmp_path, found)
