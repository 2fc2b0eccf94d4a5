/** `tracemark formats`: what can be read. */
import { formats } from "#core/trajectory/formats/index";
import { fallback } from "#core/trajectory/formats/fallback";
import { defineVerb, jsonOption } from "../define";

export const formatsVerb = defineVerb({
  name: "formats",
  summary: "list the trajectory formats that are read",
  operands: "",
  options: [jsonOption],
  run({ options, io }) {
    const all = [...formats, fallback].map(({ id, title, extensions, keeps, drops, version }) => ({ id, title, extensions: [...extensions], keeps, drops, reader_version: version }));
    if (options["json"]) for (const format of all) io.out(JSON.stringify(format));
    else for (const format of all) io.out(`${format.id.padEnd(20)} ${format.title}${format.extensions.length > 0 ? ` (${format.extensions.join(", ")})` : ""}`);
    return 0;
  },
});
