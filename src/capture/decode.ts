import { isUtf8 } from 'node:buffer'
import sniff from 'html-encoding-sniffer'

/**
 * The text of a page, by the standard's order: byte order mark, header, `<meta>`, and what its bytes
 * look like. Null when it is in no encoding that text is in.
 */
export function decode(
  bytes: Uint8Array,
  charset: string | null,
  kind: 'html' | 'text',
): string | null {
  const encoding = sniff(bytes, {
    ...(charset !== null && { transportLayerEncodingLabel: charset }),
    defaultEncoding: isUtf8(withoutTail(bytes)) ? 'UTF-8' : 'windows-1252',
    maxPrescanBytes: kind === 'html' ? 4_096 : 0,
  })
  // What browsers refuse to decode, so that nothing is smuggled past what reads it otherwise.
  if (encoding === 'replacement') return null
  const text = new TextDecoder(encoding).decode(bytes)
  // No encoding of text leaves zeros: this is something else under the name of a page.
  return text.slice(0, 4_096).includes('\0') ? null : text
}

/** Without a last character that may have been cut in two. */
function withoutTail(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  while (end > 0 && bytes.length - end < 3 && (bytes[end - 1]! & 0xc0) === 0x80) end--
  return end > 0 && bytes[end - 1]! >= 0xc0 ? bytes.subarray(0, end - 1) : bytes
}
