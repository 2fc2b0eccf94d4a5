/** Safety: code that lets input become a query, a command, a path, a page or a program. */
import { definePatternRule } from "./define";

const sqlStart = String.raw`(?:select\s+[\w*."'\x60(]|insert\s+(?:or\s+\w+\s+)?into\s|update\s+[\w."'\x60{}%]{1,60}\s+set\s|delete\s+from\s|(?:create|drop|alter)\s+(?:table|user|database)\s)`;
const notQuote = (quote: string): string => String.raw`(?:[^${quote}\\]|\\[\s\S]){0,1500}?`;
const triple = String.raw`(?:[^"]|"(?!"")){0,2000}?`;
const tripleSingle = String.raw`(?:[^']|'(?!'')){0,2000}?`;
/** After the literal: formatted by `%`, `.format`, or glued to something that is not another literal. */
const glued = String.raw`\s*(?:\)\s*)?(?:%(?![sdifrx]\b|\(\w+\)s)\s*[\w({\[]|\.\s*format\s*\(|\+\s*(?!["'\s])|\.\s*concat\s*\()`;

export const sqlByString = definePatternRule({
  id: "sql-by-string", category: "safety_permission", severity: "severe",
  title: "Builds SQL from strings",
  reason: "Values are pasted into the query text instead of being bound, so that input can change the query.",
  where: ["code"],
  patterns: [
    new RegExp(String.raw`"""\s*${sqlStart}${triple}"""${glued}`, "i"),
    new RegExp(String.raw`'''\s*${sqlStart}${tripleSingle}'''${glued}`, "i"),
    new RegExp(String.raw`(?<!["\w])"\s*${sqlStart}${notQuote('"\\n')}"${glued}`, "i"),
    new RegExp(String.raw`(?<!['\w])'\s*${sqlStart}${notQuote("'\\n")}'${glued}`, "i"),
    new RegExp(String.raw`\bf"(?:"")?\s*${sqlStart}[^"]{0,800}?\{[^}"\n]{1,100}\}`, "i"),
    new RegExp(String.raw`\bf'(?:'')?\s*${sqlStart}[^']{0,800}?\{[^}'\n]{1,100}\}`, "i"),
    new RegExp(String.raw`\x60\s*${sqlStart}[^\x60]{0,800}?\$\{`, "i"),
    new RegExp(String.raw`\bSprintf\s*\(\s*["\x60]\s*${sqlStart}`, "i"),
    new RegExp(String.raw`"\s*${sqlStart}[^"\n]{0,300}\$[a-z_]\w*`, "i"),
    // A literal continued over lines (implicit joining or a backslash), then formatted.
    new RegExp(String.raw`["']\s*${sqlStart}[^;]{0,400}?["']\s*%(?![sdifrx]\b|\(\w+\)s)\s*\(?\s*[a-z_]`, "i"),
  ],
  unless: /^\s*(?:print|log\w*|logger\.\w+|logging\.\w+|console\.\w+)\s*\(/i,
  keep: (_hit, _view, match) => !onlyNamesFilledIn(match[0]),
});

/** Names of tables cannot be bound; a text whose every gap is such a name, with its values bound beside, is as good as it gets. */
function onlyNamesFilledIn(sql: string): boolean {
  const gaps = [...sql.matchAll(/\{\w*\}|%s/g)];
  const bound = /\?|:\w+|%%s|\$\d/.test(sql);
  return bound && gaps.length > 0 && gaps.every((gap) => /\b(?:from|into|update|table|join)\s+["'\x60]?$/i.test(sql.slice(0, gap.index)));
}

const runner = String.raw`(?:os\.(?:system|popen)|(?:subprocess|commands|sp)\.\w+|\w*(?:[_.]run|_exec|[._]execute|\bsystem|popen|_cmd|[._]shell|[._]ssh|_cli\w*)|async_run|exec(?:Sync)?|shell_exec|passthru|proc_open|Runtime\.getRuntime\(\)\.exec)`;

export const commandByString = definePatternRule({
  id: "command-by-string", category: "safety_permission", severity: "severe",
  title: "Builds a command line from strings",
  reason: "Input is pasted into a command that is split or run by a shell, so that input can add commands.",
  where: ["code"],
  patterns: [
    new RegExp(String.raw`\b${runner}\s*\(\s*f?(?:"(?!\s*${sqlStart})[a-z./][^"\n]{0,300}"|'(?!\s*${sqlStart})[a-z./][^'\n]{0,300}')\s*(?:%\s*[\w(]|\.\s*format\s*\(|\+\s*(?!["'\s]))`),
    new RegExp(String.raw`\b${runner}\s*\(\s*(?:f"[a-z./][^"\n{]{0,200}\{|f'[a-z./][^'\n{]{0,200}\{|\x60[a-z./][^\x60$]{0,200}\$\{)`),
    /\bos\.(?:system|popen)\s*\(\s*(?!["'][^"'\n]{0,300}["']\s*\))[\w.[\]]+/,
    /\b(?:subprocess|sp)\.\w+\s*\((?!\s*["'][^"'\n+%]{0,200}["']\s*,)[^\n]{0,300}\bshell\s*=\s*True/,
    /^\s*shell\s*=\s*True\s*,?\s*\)?\s*$/,
    /\b\w{0,30}(?:cmd|command|cmdline|cmd_line)\s*=\s*f?(?:"[a-z./][^"\n]{0,300}"|'[a-z./][^'\n]{0,300}')\s*(?:%\s*[\w(]|\.\s*format\s*\()/,
    /\bexec\.Command\(\s*"(?:ba)?sh"\s*,\s*"-c"\s*,\s*(?![\s"])[^)\n]{1,200}/,
    /\b(?:system|popen)\s*\(\s*(?:[a-z_]\w*)\s*(?:,|\))/,
    /\b(?:system|exec|shell_exec|passthru)\s*\([^)\n]{0,100}\$_(?:GET|POST|REQUEST)/,
  ],
  unless: /\bshlex\.quote\b|\bquote\(|\bescapeshellarg\b|^\s*(?:def|async def|function|class)\b|:param\b/,
});

export const evaluatesInput = definePatternRule({
  id: "evaluates-input", category: "safety_permission", severity: "severe",
  title: "Runs or unpacks input as a program",
  reason: "eval, unsafe deserialisers and the like give whoever writes the input control of the process.",
  where: ["code"],
  patterns: [
    /(?<![\w.])eval\s*\(\s*(?!["'`])[\w.[\]]+/, /(?<![\w.])exec\s*\(\s*(?:request|input|data|code|user|body|payload|cmd|params?)\b/,
    /\bnew\s+Function\s*\(\s*(?!["'`])\w/, /\b(?:c?pickle|dill|marshal|shelve)\.(?:loads?|open)\s*\(/i,
    /\byaml\.(?:load|load_all)\s*\((?![^\n)]{0,200}(?:SafeLoader|CSafeLoader|BaseLoader))/, /\byaml\.unsafe_load\b/,
    /\bunserialize\s*\(\s*\$/, /\bnew\s+ObjectInputStream\s*\(/, /\b__import__\s*\(\s*(?:request|input|user|name|data)\b/,
    /\brender_template_string\s*\([^\n]{0,100}(?:\+|%|format|f["'])/, /\bvm\.runIn\w*Context\s*\(/,
  ],
  unless: /\bliteral_eval\b|\bmodel\.eval\b|\.eval\(\)/,
});

export const pathFromInput = definePatternRule({
  id: "path-from-input", category: "safety_permission", severity: "moderate",
  title: "Opens a path that input decides",
  reason: "A name from outside is joined to a folder without checking that the result stays inside it.",
  where: ["code"],
  patterns: [
    /\b(?:os\.path\.)?join\s*\([^\n)]{0,120}\b(?:request\.\w+|req\.(?:params|query|body)|params\[|args\[|data\[|query\[|form\[|files?\[|url\[|filename\b|user_?(?:file|path|input)\w*)/,
    /\bopen\s*\(\s*(?:request\.|req\.|params\[|sys\.argv|input\()[^\n)]{0,100}/,
    /\b(?:send_file|sendFile|readFile(?:Sync)?|createReadStream|fopen|file_get_contents|include|require)\s*\([^\n)]{0,80}(?:request\.|req\.(?:params|query|body)|\$_(?:GET|POST|REQUEST))/,
    /\b(?:extractall|unpack_archive)\s*\(/,
    /\.\s*(?:move|copy|rename)\s*\([^\n]{0,120}\+\s*\w*(?:src|name|path|file)\w*\s*\)/,
  ],
  keep: (hit) => !/\b(?:realpath|abspath|commonpath|commonprefix|secure_filename|safe_join|basename|is_relative_to|resolve\(\)|startsWith|startswith|normpath)\b|["']\.\.["'/]/.test(hit.part.text),
});

export const scriptFromInput = definePatternRule({
  id: "page-from-input", category: "safety_permission", severity: "moderate",
  title: "Writes input into a page unescaped",
  reason: "Text from outside becomes markup, so that it can carry scripts.",
  where: ["code"],
  patterns: [
    /\.(?:innerHTML|outerHTML)\s*\+?=(?!\s*["'`][^"'`\n]{0,300}["'`]\s*;?\s*$)[^\n;]{1,200}/, /\bdangerouslySetInnerHTML\s*=/, /\bdocument\.write(?:ln)?\s*\((?!\s*["'][^"'\n]{0,200}["']\s*\))/,
    /\bmark_safe\s*\((?!\s*["'][^"'\n]{0,200}["']\s*\))/, /\bMarkup\s*\(\s*(?:f["']|["'][^"'\n]{0,200}["']\s*(?:%|\+|\.format)|[a-z_]\w*\s*\))/, /\|\s*safe\b\s*\}\}/,
    /\bEnvironment\s*\((?![^\n]{0,300}autoescape\s*=)[^\n]{0,200}loader\s*=/,
    /\becho\s+[^;\n]{0,100}\$_(?:GET|POST|REQUEST|COOKIE)\b(?![^;\n]{0,60}htmlspecialchars)/,
    /\bres(?:ponse)?\.(?:write|send|end)\s*\([^\n)]{0,120}(?:\bex\.message|\bstr\(e\)|req\.(?:query|params|body)|request\.(?:args|GET|POST|form))/,
    /\breturn\s+f["']<[^"'\n]{0,200}\{[^}\n]{0,80}(?:request|name|user|query|input|comment|message)/,
  ],
  unless: /\bescape\s*\(|sanitize|DOMPurify|bleach|textContent|encodeURIComponent/i,
});

export const weakSecrets = definePatternRule({
  id: "weak-secrets", category: "safety_permission", severity: "moderate",
  title: "Protects secrets with means known to be weak",
  reason: "Passwords, tokens or data rest on a broken hash, cipher or random source, or stand in the code.",
  where: ["code"],
  patterns: [
    /\b(?:md5|sha1)\s*\(\s*[^\n)]{0,60}(?:passw|pwd|secret|token|salt)/i, /\b(?:passw\w*|pwd|secret|token)\w*\s*=\s*[^\n]{0,60}\b(?:hashlib\.(?:md5|sha1)|MD5|SHA1|createHash\(\s*["'](?:md5|sha1))/i,
    /\bgetInstance\s*\(\s*"(?:MD5|SHA-?1|DES|DESede|RC4|AES\/ECB[^"]{0,30}|AES)"/, /\b(?:DES|ARC4|RC4|Blowfish)\.new\s*\(|\bMODE_ECB\b|\bcreateCipher\s*\(/,
    /\b(?:token|secret|password|session|otp|nonce|salt|key)\w*\s*=\s*[^\n]{0,60}\b(?:random\.(?:random|randint|choice|choices|sample)|Math\.random|rand\s*\(\s*\)|mt_rand)/i,
    /\b(?:password|passwd|secret_key|api_key|apikey|auth_token|access_token)\w*["']?\s*(?:=|:)\s*["'](?!\s*["'])[^"'\s{}<>$]{6,80}["']/i,
    /\btempfile\.mktemp\s*\(/, /\bapp\.run\s*\([^\n)]{0,100}debug\s*=\s*True/, /\bchmod\s*\([^\n)]{0,80}0o?777\s*\)/,
  ],
  unless: /os\.environ|getenv|process\.env|config\[|example|changeme|your|xxx|placeholder|test|dummy|getpass|\*{3}/i,
});
