import { isUtf8 } from 'node:buffer'
import sniff from 'html-encoding-sniffer'

/**
 * Returns the text of a page, by the standard's order: byte order mark, header, `<meta>`, and the look of
 * its bytes. Returns null when the bytes are no text.
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
  // Browsers refuse these encodings, in which text can be smuggled past a filter.
  if (encoding === 'replacement') return null
  const text = new TextDecoder(encoding).decode(bytes)
  // Decoded text holds no zeros: these bytes only claim to be a page.
  return text.slice(0, 4_096).includes('\0') ? null : text
}

/** Returns the bytes without a last character that a cut may have split. */
function withoutTail(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  while (end > 0 && bytes.length - end < 3 && (bytes[end - 1]! & 0xc0) === 0x80) end--
  return end > 0 && bytes[end - 1]! >= 0xc0 ? bytes.subarray(0, end - 1) : bytes
}
