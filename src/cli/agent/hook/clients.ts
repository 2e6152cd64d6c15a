/** The clients whose hooks are understood. */
import type { HookClient } from './client.ts'

/** Each client's file is loaded when that client speaks. */
const CLIENTS: Record<string, () => Promise<HookClient>> = {
  'claude-code': async () => (await import('./clients/claude-code.ts')).claudeCode,
  codex: async () => (await import('./clients/codex.ts')).codex,
  gemini: async () => (await import('./clients/gemini.ts')).gemini,
  qwen: async () => (await import('./clients/qwen.ts')).qwen,
  opencode: async () => (await import('./clients/opencode.ts')).opencode,
  cursor: async () => (await import('./clients/cursor.ts')).cursor,
  vscode: async () => (await import('./clients/vscode.ts')).vscode,
}

export const HOOK_CLIENTS = Object.keys(CLIENTS)

/** Returns the client with this name; undefined when there is none. */
export const hookClient = (name: string): Promise<HookClient> | undefined =>
  Object.hasOwn(CLIENTS, name) ? CLIENTS[name]!() : undefined
