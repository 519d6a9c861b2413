#!/bin/bash
# The guard's decision with bash and jq: how many tokens the last response held, and whether that is too many.
# What it leaves out: growth since that response, Yellow, subagents, compaction, settings, state, Cursor.
transcript=$(jq -r '.transcript_path // empty')
[ -f "$transcript" ] || { echo '{}'; exit 0; }
tail -c 65536 "$transcript" | jq -Rn --argjson window 200000 '
  last(inputs | fromjson? | select(.isSidechain != true) | .message.usage? | select(.input_tokens)) as $usage
  | ($usage.input_tokens + $usage.cache_creation_input_tokens + $usage.cache_read_input_tokens
     + $usage.output_tokens) as $tokens
  | if $tokens >= $window * 0.78 then
      {hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny",
        permissionDecisionReason: "\($tokens) of \($window) tokens are used: go on in a new chat."}}
    else {} end' -c
