/** The clients that Loam is installed into. A further one is a file beside these, and a line here. */
import type { ClientKind } from './client.ts'
import { claude } from './clients/claude.ts'
import { codex } from './clients/codex.ts'
import { cursor } from './clients/cursor.ts'
import { desktop } from './clients/desktop.ts'
import { gemini } from './clients/gemini.ts'
import { opencode } from './clients/opencode.ts'
import { qwen } from './clients/qwen.ts'
import { vscode } from './clients/vscode.ts'

export const CLIENTS: readonly ClientKind[] = [
  claude,
  codex,
  opencode,
  gemini,
  qwen,
  cursor,
  vscode,
  desktop,
]
