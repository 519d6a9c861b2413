// One JSON string a line on stdin; one line [anthropic, o200k] of token counts each on stdout.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(process.argv[2] + "/");
const claude = require("@anthropic-ai/tokenizer").getTokenizer();
const gpt = require("gpt-tokenizer/encoding/o200k_base");

const plain = { disallowedSpecial: new Set() }; // a text that names a special token is a text

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  const counts = [claude.encode(text.normalize("NFKC"), [], []).length, gpt.encode(text, plain).length];
  process.stdout.write(JSON.stringify(counts) + "\n");
}
