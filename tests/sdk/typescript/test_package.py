"""The package as it is packed: its unit tests, its types from outside, its size, what checkers of packages say."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path

import pytest

from tests import node
from tests.tiers import deep

pytestmark = deep("packs and installs the Node client")

LARGEST = 60_000
"""Bytes, minified, of what a program loads at its start. The code of `verifyBundle`, for waiting, for describing a call
without its secrets, and for judging what lets an action run comes when it is first called."""
USE = """
import { Client, GuardBlockedError, verifyBundle, type Answer, type Schemas } from "@assent/client";
import { governTools } from "@assent/client/ai";
import { governTools as governGraphTools, ToolRefused, wrapToolCall } from "@assent/client/langgraph";
import { LegacyClient } from "@assent/client/legacy";

export async function use(client: Client, legacy: LegacyClient): Promise<string> {
  const asked: Schemas["GuardResult"] = await client.guard({ action_type: "deploy", further: 1 });
  const created: Answer<"create_action"> = await client.createAction({ actionType: "deploy", declaredGoal: "x" });
  const page = await client.getActions({ riskMin: 3, status: "running" });
  const twice = client.governed((n: number) => Promise.resolve(2 * n), { actionType: "twice" });
  const four: number = await twice(2);
  for await (const event of client.events({ lastEventId: 0 })) return event.event;
  const look = { execute: (input: { path: string }) => input.path };
  const tools = governTools({ look }, { client, fields: { session_id: "s" } });
  const path: string = await tools.look.execute({ path: "a" });
  const [tool] = governGraphTools([{ name: "look", invoke: async (input: string) => input }], { approvalTimeout: 1 });
  const wrapped = await wrapToolCall()({ toolCall: { name: "look", args: {} } }, () => path);
  const exported: Uint8Array = (await client.exportProof()).data;
  const other: LegacyClient = legacy.withOptions({ agentId: "other" });
  const pairing = await other.createPairing("PEM");
  try {
    await verifyBundle(exported);
  } catch (error) {
    if (error instanceof ToolRefused) return error.tool + wrapped + (await tool?.invoke(path));
    if (error instanceof GuardBlockedError) return error.reasons.join();
  }
  // @ts-expect-error a status that no action has
  await client.updateOutcome("act_1", { status: "done" });
  // @ts-expect-error no such filter
  await client.getActions({ colour: "red" });
  // @ts-expect-error a text is no tool
  governTools({ look: "look" });
  // @ts-expect-error a number is no id
  await client.getAction(7);
  // @ts-expect-error no such method
  await client.getEverything();
  return `${asked.decision} ${created.action_id} ${page.actions.length} ${four} ${pairing.pairing.pairing_id}`;
}
"""


def tool(name: str) -> str:
    return str(node.TOOLS / ".bin" / name)


def test_its_unit_tests(folder: Path) -> None:
    shutil.copytree(node.PACKAGE / "test", folder / "test", dirs_exist_ok=True)
    files = sorted(f"test/{each.name}" for each in (node.PACKAGE / "test").glob("*.test.mjs"))
    assert len(files) == 11
    printed = node.run(["node", "--no-warnings", "--test", "--test-reporter=tap", *files], folder)
    assert "# fail 0" in printed
    assert "# skipped 0" in printed


@pytest.mark.parametrize(
    ("suffix", "options"),
    [
        ("mts", ["--module", "nodenext", "--lib", "es2023,dom,dom.iterable"]),
        ("cts", ["--module", "nodenext", "--lib", "es2023,dom,dom.iterable"]),
        ("ts", ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2023,dom,dom.iterable"]),
        ("mts", ["--module", "nodenext", "--lib", "es2023", "--types", "node"]),
    ],
)
def test_its_types_from_outside(folder: Path, suffix: str, options: list[str]) -> None:
    program = folder / f"use.{suffix}"
    program.write_text(USE)
    roots = ["--typeRoots", str(node.TOOLS / "@types")] if "node" in options else []
    strict = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--target", "es2022"]
    node.run([tool("tsc"), *strict, *options, *roots, program.name], folder)


def test_publint_and_are_the_types_wrong_find_nothing(folder: Path) -> None:
    package = node.tarball(folder)
    printed = node.run([tool("publint"), "run", "--strict", str(package)], folder)
    assert "All good" in printed
    told = json.loads(node.run([tool("attw"), str(package), "--format", "json"], folder))
    assert told["analysis"]["problems"] == []
    assert sorted(told["analysis"]["entrypoints"]) == [".", "./ai", "./langgraph", "./legacy", "./package.json"]


def test_it_has_what_it_says_and_nothing_else(folder: Path) -> None:
    with tarfile.open(node.tarball(folder)) as packed:
        names = {name.removeprefix("package/") for name in packed.getnames()}
    assert {"package.json", "README.md", "dist/esm/index.js", "dist/cjs/index.js", "dist/cjs/package.json"} <= names
    assert all(name.startswith("dist/") for name in names - {"package.json", "README.md"})
    assert not [name for name in names if name.endswith((".ts", ".mjs")) and not name.endswith(".d.ts")]


def test_it_is_small(folder: Path, tmp_path: Path) -> None:
    entry = folder / "node_modules" / "@assent" / "client" / "dist" / "esm" / "index.js"
    options = ["--bundle", "--minify", "--splitting", "--format=esm", "--platform=neutral", "--metafile=meta.json"]
    node.run([tool("esbuild"), str(entry), *options, f"--outdir={tmp_path}"], tmp_path)
    outputs = json.loads((tmp_path / "meta.json").read_text())["outputs"]
    (start,) = (name for name, each in outputs.items() if each.get("entryPoint", "").endswith("esm/index.js"))
    loaded, waiting = {start}, [start]
    while waiting:
        for each in outputs[waiting.pop()]["imports"]:
            if each["kind"] == "import-statement" and each["path"] not in loaded:
                loaded.add(each["path"])
                waiting.append(each["path"])
    assert sum(outputs[name]["bytes"] for name in loaded) <= LARGEST
    later = {name.split("-")[0].rpartition("/")[2] for name in outputs.keys() - loaded}
    assert {"verify", "answers", "describing", "stream", "waiting"} <= later
