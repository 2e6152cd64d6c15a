declare module '@joplin/turndown-plugin-gfm' {
  import type Turndown from 'turndown'

  export const gfm: Turndown.Plugin
}
