// The files themselves: JSON parses, nothing lies about unused, no real hosts or keys, a bounded size, a fresh .eval.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { entriesOf } from "./make-eval.mjs";
import { unzip } from "./zip.mjs";

const LIMIT = 700 * 1024;
const TRAJECTORY = /\.(traj|json|jsonl|eval)$/;
const OWN = /^(tracemark\.json|benchmark\.samples\.jsonl|labels\/|runs\/)/;
const HOST = /(?:https?:\/\/|(?<!\\)\w@)([a-z0-9.-]+\.[a-z]{2,})/gi; // "\\n@name" in JSON is a line break and a decorator
const RESERVED = /\.(test|example|invalid|localhost)$/i; // RFC 2606
const KEY = /\b(sk-[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{16}|xox[abp]-[A-Za-z0-9-]{10,})|-----BEGIN [A-Z ]*PRIVATE KEY/;
const packed = "inspect-eval/short-answers.eval";
const packedFrom = join(dirname(fileURLToPath(import.meta.url)), "short-answers.json");

/** Paths below `root` with `/`, sorted. */
function filesBelow(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join("/")).sort();
}

function checkText(path, text, problem) {
  for (const [, host] of text.matchAll(HOST)) if (!RESERVED.test(host)) problem(path, 1, `${host} could be a real host; use one that ends with .test or .example`);
  const key = KEY.exec(text);
  if (key) problem(path, 1, `${key[0].slice(0, 8)}… looks like a real key`);
}

function checkJson(path, text, problem) {
  const documents = path.endsWith("l") ? text.split("\n") : [text];
  documents.forEach((one, i) => {
    if (one.trim() === "") return;
    try {
      JSON.parse(one);
    } catch (error) {
      problem(path, i + 1, `no JSON: ${error.message}`);
    }
  });
}

/** The container must hold just what the packer makes of its source today (the deflated bytes may differ by zlib version). */
function checkPacked(root, problem) {
  const found = unzip(readFileSync(join(root, packed))).map(([name, data]) => [name, data.toString("utf8")]);
  const wanted = entriesOf(JSON.parse(readFileSync(packedFrom, "utf8"))).map(([name, value]) => [name, JSON.stringify(value, null, 2)]);
  if (JSON.stringify(found) !== JSON.stringify(wanted)) problem(packed, 1, "differs from its source; run make-eval.mjs again");
  for (const [, text] of found) checkText(packed, text, problem);
}

/** Checks every file below `root`; `used` are the paths that the manifest names. Returns the size in bytes. */
export function checkFiles(root, used, problem) {
  let bytes = 0;
  const files = filesBelow(root);
  for (const path of files) {
    bytes += statSync(join(root, path)).size;
    if (TRAJECTORY.test(path) && !OWN.test(path) && !used.has(path)) problem(path, 1, "no sample of the manifest names this file");
    if (path.endsWith(".eval")) continue;
    const text = readFileSync(join(root, path), "utf8");
    if (/\.(traj|json|jsonl)$/.test(path)) checkJson(path, text, problem);
    checkText(path, text, problem);
  }
  for (const path of used) if (!files.includes(path)) problem("benchmark.samples.jsonl", 1, `${path} does not exist`);
  if (files.includes(packed)) checkPacked(root, problem);
  if (bytes > LIMIT) problem(".", 1, `${bytes} bytes are more than the ${LIMIT} allowed`);
  return bytes;
}
