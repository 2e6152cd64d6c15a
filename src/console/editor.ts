import type { Kernel } from '../kernel/kernel.ts'

/** The address by which the owner's editor opens a file; null where none is configured. */
export function editorUrl({ config }: Pick<Kernel, 'config'>, path: string): string | null {
  const { editor_url: template } = config.console
  if (!template) return null
  // A part of a path may hold what would begin another part of an address.
  const escaped = encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent)
  return template.replaceAll('{path}', () => escaped)
}
