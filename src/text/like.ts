/** The pattern by which LIKE and ILIKE find these very characters anywhere in a text. */
export const containing = (characters: string): string =>
  `%${characters.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
