// Packs an Inspect log in JSON as the .eval container that Inspect writes (a ZIP with one entry a sample).
// Usage: node test/support/samples/make-eval.mjs LOG.json OUT.eval
import { readFileSync, writeFileSync } from "node:fs";
import { crc32Of, deflateRaw } from "./zip.mjs";

const DOS_DATE = ((2026 - 1980) << 9) | (3 << 5) | 10; // fixed, so that the same log always gives the same entries

/** Splits a log into the entries of the container, in the order in which Inspect writes them. */
export function entriesOf(log) {
  const { samples, ...header } = log;
  const { version, eval: spec, plan } = log;
  const summaries = samples.map(({ id, epoch, input, target, scores }) => ({ id, epoch, input, target, scores }));
  return [
    ["_journal/start.json", { version, eval: spec, plan }],
    ...samples.map((s) => [`samples/${s.id}_epoch_${s.epoch}.json`, s]),
    ["_journal/summaries/1.json", summaries],
    ["summaries.json", summaries],
    ["header.json", header],
  ];
}

/** Writes entries [name, value] as a ZIP of deflated JSON files. Returns the bytes. */
export function zip(entries) {
  const local = [];
  const central = [];
  let offset = 0;
  for (const [name, value] of entries) {
    const data = Buffer.from(JSON.stringify(value, null, 2), "utf8");
    const packed = deflateRaw(data);
    const path = Buffer.from(name, "utf8");
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0); // version needed: 2.0
    shared.writeUInt16LE(0x0800, 2); // names are UTF-8
    shared.writeUInt16LE(8, 4); // method: deflate
    shared.writeUInt16LE(0, 6); // time of day
    shared.writeUInt16LE(DOS_DATE, 8);
    shared.writeUInt32LE(crc32Of(data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(path.length, 22);
    local.push(Buffer.from("PK\x03\x04", "latin1"), shared, path, packed);
    const entry = Buffer.alloc(14); // no comment, first disk, no attributes, then the offset
    entry.writeUInt32LE(offset, 10);
    central.push(Buffer.from("PK\x01\x02", "latin1"), Buffer.from([20, 3]), shared, entry, path);
    offset += 4 + shared.length + path.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

if (process.argv[1]?.endsWith("make-eval.mjs")) {
  const [from, to] = process.argv.slice(2);
  if (!from || !to) {
    console.error("error: two arguments are needed; give the JSON log and the name of the .eval file");
    process.exit(2);
  }
  const bytes = zip(entriesOf(JSON.parse(readFileSync(from, "utf8"))));
  writeFileSync(to, bytes);
  console.error(`${to}: ${bytes.length} bytes`);
}
