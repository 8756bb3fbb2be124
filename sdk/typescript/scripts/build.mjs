// Builds dist/esm and dist/cjs with the types of each, from src.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const top = join(dirname(fileURLToPath(import.meta.url)), "..");
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");

function compile(...options) {
  const done = spawnSync(process.execPath, [tsc, "-p", top, ...options], { stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

rmSync(join(top, "dist"), { recursive: true, force: true });
compile("--outDir", join(top, "dist/esm"));
compile(
  ...["--outDir", join(top, "dist/cjs"), "--module", "CommonJS", "--moduleResolution", "Node10"],
  ...["--verbatimModuleSyntax", "false"],
);
writeFileSync(join(top, "dist/cjs/package.json"), '{ "type": "commonjs" }\n');
