/** Items that are called exactly what was asked: who gives a name wants its item, whatever else has the same words. */

/** Nothing that a name and what was asked may differ by: case, and what stands between words. C++ and C# are two. */
const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}+#]+/gu, ' ')
    .trim()

/** Longer names are not compared, in UTF-16 units: a long text takes long to normalise. */
const LONGEST = 500

/** Whether an item is called what is asked. A heading begins with a line that is its title. */
export function callsFor(query: string): (heading: string) => boolean {
  const asked = query.length > LONGEST ? '' : bare(query)
  return (heading) => {
    const [title = ''] = heading.split('\n', 1)
    return asked !== '' && title.length <= LONGEST && bare(title) === asked
  }
}
