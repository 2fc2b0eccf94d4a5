// Writes THIRD-PARTY-NOTICES from what the bundles really hold: node test/support/notices.mjs (after npm run build).
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Names of the packages whose files are in the bundles of dist/, sorted. */
export function bundledPackages() {
  const names = new Set();
  for (const file of readdirSync("dist/meta").filter((name) => name.endsWith(".json"))) {
    for (const input of Object.keys(JSON.parse(readFileSync(join("dist/meta", file), "utf8")).inputs)) {
      const inside = input.split("node_modules/").pop();
      if (!input.includes("node_modules/") || !inside) continue;
      const parts = inside.split("/");
      names.add(parts[0].startsWith("@") ? `${parts[0]}/${parts[1]}` : parts[0]);
    }
  }
  return [...names].sort();
}

/** The notices of those packages: name, version, licence, and the licence text that the package ships. */
export function notices() {
  const parts = ["Tracemark contains the following third-party software.\n"];
  for (const name of bundledPackages()) {
    const folder = join("node_modules", name);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const licence = readdirSync(folder).find((file) => /^licen[cs]e(\.|$)/i.test(file));
    const text = licence ? readFileSync(join(folder, licence), "utf8").trim() : `Licence: ${manifest.license}`;
    parts.push(`${"-".repeat(72)}\n${name} ${manifest.version} (${manifest.license})\n\n${text}\n`);
  }
  parts.push(`${"-".repeat(72)}\nThe icons are codicons by Microsoft, licensed under CC-BY-4.0.\n`);
  return parts.join("\n");
}

if (process.argv[1]?.endsWith("notices.mjs") && existsSync("dist/meta")) writeFileSync("THIRD-PARTY-NOTICES", notices());
