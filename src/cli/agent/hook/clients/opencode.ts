/** opencode: its hooks are our own plugin, which speaks in our words. */
import type { HookClient } from '../client.ts'

export const opencode: HookClient = {}
