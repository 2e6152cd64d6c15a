import type { Kernel } from './kernel/kernel.ts'
export function startTimers(_kernel: Kernel): () => Promise<void> {
  return async () => {}
}
