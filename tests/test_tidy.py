"""Style that is checked needs no argument: sizes, names, docstrings, mirrors."""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.architecture

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "penstock"
FOLDERS = ("src", "tests", "scripts", "benchmarks", "conformance")

LONGEST_FUNCTION = 50
LONGEST_FILE = 500
EXCUSE = "Long because"
"""How the docstring of a longer file begins to say why."""
FORBIDDEN_NAMES = {"util", "utils", "helper", "helpers", "common", "misc", "base", "manager"}

UNNAMED_ACTORS = re.compile(r"\b(whoever|somebody|nobody)\b", re.I)
RIDDLES = re.compile(r"(Give|Gives|Tell|Let|Learn|Hear)\b")
"""How docstrings begin that say Return, Raise or Yield in other words."""

MIRRORED_BY = {
    "_application_queries.py": "spark/test_queries.py",
    "_engine/spark/lost_processes.py": "spark/test_lost_processes.py",
    "_engine/control/application_host.py": "unit/engine/control/test_scale.py",
    "_engine/local/local_host.py": "broker/test_local_host.py",
    "_engine/http/clients/client.py": "unit/cli/test_query.py",
    "_engine/http/clients/direct_client.py": "broker/test_changelogs.py",
    "_engine/http/console/event_stream.py": "unit/engine/http/console/test_feed.py",
    "_engine/http/console/graph.py": "unit/engine/http/console/test_snapshot.py",
    "_engine/http/console/metric_index.py": "unit/engine/http/console/test_snapshot.py",
    "_engine/http/console/pages.py": "unit/engine/http/console/test_feed.py",
    "_engine/http/guarded_protocol.py": "unit/engine/http/test_server.py",
    "_engine/http/openapi.py": "unit/engine/http/test_routes.py",
    "_engine/http/parameters.py": "unit/engine/http/test_routes.py",
    "_engine/http/replies.py": "unit/engine/http/test_routes.py",
    "_engine/http/scans.py": "unit/engine/http/test_routes.py",
    "_engine/http/served.py": "unit/engine/http/test_routes.py",
    "_engine/http/status_documents.py": "unit/engine/http/test_routes.py",
    "_engine/http/store_reads.py": "unit/engine/http/test_routes.py",
    "settings/values.py": "unit/settings/test_config.py",
    "spark.py": "spark/test_dataframes.py",
    "queries/query_iterator.py": "unit/terminal/test_notebook.py",
    "state.py": "unit/stores/test_engine.py",
    "terminal/whole_screen.py": "unit/cli/test_top.py",
    "stores/_open_engine.py": "unit/stores/test_engine.py",
    "stores/restore_listener.py": "unit/engine/metrics/test_restore_events.py",
    "stores/standby_listener.py": "unit/engine/metrics/test_restore_events.py",
    "_engine/queries/questions.py": "unit/engine/queries/test_reading.py",
    "_engine/kafka/application/agreed_ends.py": "broker/test_two_instances.py",
    "_engine/kafka/changelogs/extent.py": "broker/test_changelogs.py",
    "_engine/kafka/changelogs/known_stores.py": "broker/test_changelogs.py",
    "_engine/kafka/changelogs/stopped_stores.py": "broker/test_changelogs.py",
    "_engine/kafka/changelogs/store_copy.py": "broker/test_changelogs.py",
    "_engine/kafka/client/bulk.py": "broker/test_bulk.py",
    "_engine/kafka/tasks/careful_run.py": "crash/test_deaths.py",
    "_engine/kafka/worker/checkpoints.py": "broker/test_checkpoints.py",
    "_engine/kafka/application/internal_topics.py": "broker/test_topics.py",
    "_engine/kafka/application/examination.py": "broker/test_commands.py",
    "_engine/kafka/tasks/global_tables.py": "broker/test_global_tables.py",
    "_engine/kafka/backfill/admission.py": "broker/test_backfill.py",
    "_engine/kafka/backfill/delivery.py": "broker/test_backfill.py",
    "_engine/kafka/backfill/handover.py": "broker/test_backfill.py",
    "_engine/kafka/backfill/live_from.py": "broker/test_backfill.py",
    "_engine/kafka/client/groups.py": "broker/test_groups.py",
    "_engine/kafka/client/topic_history.py": "broker/test_history.py",
    "_engine/kafka/tasks/inputs.py": "broker/test_inputs.py",
    "_engine/kafka/application/stored_program.py": "broker/test_last_program.py",
    "_engine/kafka/worker/membership.py": "crash/test_rebalance.py",
    "_engine/kafka/application/notices.py": "broker/test_notices.py",
    "_engine/kafka/application/preparation.py": "crash/test_commit_steps.py",
    "_engine/kafka/tasks/key_placement.py": "broker/test_placement.py",
    "_engine/kafka/tasks/refused_records.py": "broker/test_refused_records.py",
    "_engine/runtime/records.py": "unit/engine/runtime/input/test_partition_run.py",
    "_engine/kafka/worker/processing.py": "broker/test_slow_functions.py",
    "_engine/kafka/application/reset.py": "broker/test_reset.py",
    "_engine/kafka/application/resume.py": "broker/test_lost_offsets.py",
    "_engine/kafka/tasks/restore.py": "broker/test_restore.py",
    "_engine/kafka/tasks/assigned_task.py": "crash/test_rebalance.py",
    "_engine/kafka/client/schema_registry.py": "unit/test_schema_registry.py",
    "_engine/kafka/worker/slow_functions.py": "broker/test_slow_functions.py",
    "_engine/kafka/tasks/standby.py": "broker/test_standby.py",
    "_engine/kafka/tasks/task_host.py": "crash/test_rebalance.py",
    "_engine/kafka/worker/transactions.py": "crash/test_commit_steps.py",
    "_engine/kafka/worker/figures.py": "unit/engine/kafka/worker/test_worker.py",
    "_engine/metrics/rows.py": "unit/engine/kafka/worker/test_worker_metrics.py",
    "_engine/kafka/worker/task_set.py": "unit/engine/kafka/worker/test_worker.py",
    "_engine/kafka/worker/worker_clients.py": "crash/test_rebalance.py",
    "_engine/kafka/application/task_records.py": "broker/test_last_program.py",
    "_engine/kafka/client/topic_io.py": "broker/test_topic_io.py",
    "_engine/planner/blueprint.py": "crash/test_commit_steps.py",
    "_engine/spark/batch/arrow_map.py": "spark/test_dataframes.py",
    "_engine/spark/batch/tasks/bounded_task.py": "spark/test_dataframes_refusals.py",
    "_engine/spark/batch/columns.py": "spark/test_dataframes.py",
    "_engine/spark/batch/inputs.py": "spark/test_dataframes_refusals.py",
    "_engine/spark/batch/job.py": "spark/test_dataframes.py",
    "_engine/spark/batch/progress.py": "spark/test_dataframes.py",
    "_engine/spark/batch/result.py": "spark/test_dataframes.py",
    "_engine/spark/batch/schemas.py": "unit/engine/spark/batch/tasks/test_rows.py",
    "_engine/spark/batch/start.py": "spark/test_dataframes_refusals.py",
    "_engine/spark/batch/typed.py": "spark/test_dataframes.py",
    "_engine/spark/batch/backfill.py": "spark/test_backfill.py",
    "_engine/spark/batch/backfill_inputs.py": "spark/test_backfill.py",
    "_engine/spark/batch/direct_job.py": "spark/test_backfill.py",
    "_engine/spark/batch/tasks/deliveries.py": "spark/test_backfill.py",
    "_engine/spark/batch/tasks/direct.py": "broker/test_backfill_programs.py",
    "_engine/spark/batch/tasks/local_state.py": "unit/engine/spark/batch/tasks/test_stage.py",
    "_engine/spark/batch/history.py": "spark/test_history.py",
    "_engine/kafka/application/topic_listing.py": "broker/test_commands.py",
    "_engine/kafka/client/topic_offsets.py": "broker/test_topic_stream.py",
    "_engine/spark/dataframes/batch_reader.py": "spark/test_topics.py",
    "_engine/spark/dataframes/frames.py": "spark/test_topics.py",
    "_engine/spark/dataframes/source.py": "spark/test_topics.py",
    "_engine/spark/dataframes/split_partitions.py": "spark/test_topics.py",
    "_engine/spark/dataframes/stream_reader.py": "broker/test_topic_stream.py",
    "_engine/spark/dataframes/topic_scan.py": "broker/test_topic_stream.py",
    "_engine/kafka/sink/journal.py": "broker/test_sink.py",
    "_engine/kafka/sink/opening.py": "broker/test_sink.py",
    "_engine/kafka/sink/partition_writer.py": "broker/test_sink.py",
    "_engine/kafka/sink/sink_transactions.py": "broker/test_sink.py",
    "_engine/spark/dataframes/sink.py": "spark/test_sink.py",
    "_engine/spark/dataframes/sink_stream.py": "spark/test_sink.py",
    "_engine/kafka/application/carrier_topics.py": "broker/test_carrier_topics.py",
    "_engine/spark/batch/plan_serdes.py": "spark/test_dataframes.py",
    "_engine/spark/between/initial_tables.py": "spark/test_between.py",
    "_engine/spark/between/kept_offsets.py": "broker/test_carrier_topics.py",
    "_engine/spark/between/live_inputs.py": "spark/test_between.py",
    "_engine/spark/between/live_result.py": "spark/test_between.py",
    "_engine/spark/between/live_run.py": "spark/test_between.py",
    "_engine/spark/between/run_folder.py": "spark/test_between.py",
    "_engine/spark/between/start.py": "spark/test_between.py",
    "_engine/spark/state/scan.py": "spark/test_state.py",
    "_engine/spark/state/source.py": "spark/test_state.py",
    "_engine/spark/state/table.py": "spark/test_state.py",
    "_engine/spark/shipping/annotations.py": "unit/engine/spark/shipping/test_shipping.py",
    "_engine/spark/shipping/importable.py": "unit/engine/spark/shipping/test_shipping.py",
    "_engine/spark/shipping/main_script_objects.py": "unit/engine/spark/shipping/test_shipping.py",
    "_engine/spark/shipping/sentinels.py": "unit/engine/spark/shipping/test_shipping.py",
    "_engine/spark/shipping/dict_enum_classes.py": "unit/engine/spark/shipping/test_shipping.py",
    "_engine/spark/streaming/run.py": "unit/engine/spark/streaming/test_source.py",
    "_engine/spark/streaming/early_turn.py": "spark/test_start.py",
    "_engine/spark/streaming/arrow_rows.py": "spark/test_hosting.py",
    "_engine/operators/aggregate.py": "operators/test_aggregate.py",
    "_engine/operators/windows/closing.py": "operators/test_closing.py",
    "_engine/operators/joins/foreign_key.py": "operators/test_foreign_key.py",
    "_engine/operators/windows/session.py": "operators/test_session.py",
    "_engine/operators/joins/lookup_join.py": "operators/test_lookup_join.py",
    "_engine/operators/site.py": "operators",
    "_engine/operators/stateless.py": "operators/test_map.py",
    "_engine/operators/joins/stream_join.py": "operators/test_stream_join.py",
    "_engine/operators/table.py": "operators/test_table.py",
    "_engine/operators/getters.py": "operators/test_table_join.py",
    "_engine/operators/grouped_table.py": "operators/test_grouped_table.py",
    "_engine/operators/rows.py": "operators/test_table.py",
    "_engine/operators/windows/suppress.py": "operators/test_suppress.py",
    "_engine/operators/joins/table_join.py": "operators/test_table_join.py",
    "_engine/operators/transform_values.py": "operators/test_transform_values.py",
    "_engine/operators/transformer.py": "operators/test_transform_values.py",
    "_engine/operators/user.py": "operators/test_process.py",
    "_engine/operators/windows/sliding.py": "operators/test_sliding.py",
    "_engine/operators/windows/windowed.py": "operators/test_windowed.py",
    "_engine/state/contract.py": "stores/engines.py",
    "_engine/state/views/session.py": "stores/test_sessions.py",
    "_engine/state/views/typed.py": "stores/test_windows.py",
    "_engine/state/segments/versioned.py": "stores/test_versions.py",
    "_engine/state/segments/window_rows.py": "stores/test_windows.py",
    "_engine/topology/nodes/foreign_key_nodes.py": "operators/test_foreign_key.py",
    "cli/arguments/clusters.py": "broker/test_commands.py",
    "cli/stopped_query.py": "broker/test_changelogs.py",
    "cli/doctor/cluster.py": "broker/test_commands.py",
    "cli/demo/runner.py": "spark/test_cli_run.py",
    "serdes/document_types.py": "unit/serdes/test_json.py",
    "serdes/documents.py": "unit/serdes/test_json.py",
    "serdes/functions.py": "unit/serdes/test_of.py",
    "serdes/names.py": "unit/serdes/test_resolve.py",
    "serdes/numbers.py": "unit/serdes/test_integers.py",
    "serdes/registry_values.py": "unit/test_schema_registry.py",
    "serdes/plain.py": "unit/serdes/test_string.py",
}
"""Modules whose tests are not called like them."""


@functools.cache
def files() -> list[Path]:
    """Return the project's own Python files, but not the programs of the conformance cases."""
    return [
        path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "cases" not in path.parts
    ]


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in files():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield path, node


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its signature and its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return 0 if not body else (body[-1].end_lineno or 0) - body[0].lineno + 1


def test_functions_are_short() -> None:
    long = {
        f"{_shown(path)}:{node.lineno} {node.name}": body_lines(node)
        for path, node in functions()
        if body_lines(node) > LONGEST_FUNCTION
    }
    assert long == {}


def test_files_are_short_or_say_why_not() -> None:
    long = [
        _shown(path)
        for path in files()
        if len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE
        and EXCUSE not in (ast.get_docstring(tree_of(path)) or "")
    ]
    assert long == []


def test_no_module_is_named_for_having_no_subject() -> None:
    named = [_shown(path) for path in files() if FORBIDDEN_NAMES & {path.stem, path.parent.name}]
    assert named == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [_shown(path) for path in files() if not ast.get_docstring(tree_of(path))]
    assert silent == []


def test_every_module_has_a_mirror_in_the_tests() -> None:
    alone = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        folders = [part.removeprefix("_") for part in Path(module).parts[:-1]]
        mirror = Path("unit", *folders, f"test_{path.name.removeprefix('_')}")
        tested = (ROOT / "tests" / MIRRORED_BY.get(module, mirror)).exists()
        if path.name != "__init__.py" and not tested:
            alone.append(f"{module} needs tests/{mirror.as_posix()}")
    assert not alone, "\n".join(alone)


def test_what_is_left_undone_names_its_issue() -> None:
    word = "|".join(("TO" + "DO", "FIX" + "ME"))
    undone = [
        f"{_shown(path)}:{number}"
        for path in files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(rf"\b({word})\b(?!.*#\d)", line)
    ]
    assert undone == []


def test_docstrings_and_comments_name_the_actor() -> None:
    unnamed = [
        f"{_shown(path)}:{line}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, text in (*docstrings_of(path), *comments_of(path))
        if UNNAMED_ACTORS.search(text)
    ]
    assert not unnamed, "\n".join(unnamed)


def test_comments_in_c_name_the_actor() -> None:
    unnamed = [
        f"{_shown(path)}: {comment}"
        for path in sorted(PACKAGE.rglob("*.[ch]"))
        for comment in re.findall(r"/\*.*?\*/|//.*?$", path.read_text("utf-8"), re.S | re.M)
        if UNNAMED_ACTORS.search(comment)
    ]
    assert not unnamed, "\n".join(unnamed)


def test_docstrings_say_return_raise_or_yield() -> None:
    riddles = [
        f"{_shown(path)}:{line}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, text in docstrings_of(path)
        if RIDDLES.match(text)
    ]
    assert not riddles, "\n".join(riddles)


def docstrings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of all docstrings, those of attributes included."""
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text


def comments_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of all comments."""
    source = io.StringIO(path.read_text(encoding="utf-8"))
    for token in tokenize.generate_tokens(source.readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT))
