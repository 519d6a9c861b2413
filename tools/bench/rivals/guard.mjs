// The guard's decision with Node: how many tokens the last response held, and whether that is too many.
// What it leaves out: growth since that response, Yellow, subagents, compaction, settings, state, Cursor.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

const WINDOW = 200_000, RED = 0.78, TAIL = 65_536;

function lastUsage(path) {
  const file = openSync(path);
  const size = fstatSync(file).size;
  const tail = Buffer.alloc(Math.min(TAIL, size));
  readSync(file, tail, 0, tail.length, size - tail.length);
  closeSync(file);
  for (const line of tail.toString().split("\n").reverse()) {
    if (!line.includes('"usage"')) continue;
    try {
      const record = JSON.parse(line);
      if (!record.isSidechain && record.message?.usage) return record.message.usage;
    } catch {}
  }
}

let answer = {};
const { transcript_path } = JSON.parse(readFileSync(0, "utf8"));
try {
  const u = lastUsage(transcript_path);
  const tokens = u.input_tokens + u.cache_creation_input_tokens + u.cache_read_input_tokens + u.output_tokens;
  if (tokens >= WINDOW * RED) {
    answer = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny",
      permissionDecisionReason: `${tokens} of ${WINDOW} tokens are used: go on in a new chat.` } };
  }
} catch {}
console.log(JSON.stringify(answer));
