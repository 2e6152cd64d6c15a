/** How a hit was found: by words, by meaning, by both, through a link, or in a list of its kind. */
export const SOURCES = ['semantic', 'fts', 'fused', 'link', 'browse'] as const
export type Source = (typeof SOURCES)[number]
