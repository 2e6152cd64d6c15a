/** The bytes of an answer, decompressed while they stream, up to a limit. */
import { pipeline, type Duplex, type Readable } from 'node:stream'
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib'

/** 2 MiB, on the wire and decompressed. */
export const MAX_BYTES = 2 * 1024 * 1024
/** The encodings that a request accepts. */
export const ENCODINGS = 'gzip, br, zstd'
/** Each further layer multiplies the size of a bomb, and nobody uses a second one. */
const MAX_LAYERS = 2

export interface Body {
  /** The only bytes in their buffer, so that a thread can take the buffer over. */
  bytes: Uint8Array<ArrayBuffer>
  /** Whether the answer was longer. */
  cut: boolean
}

/** The answer has an encoding that the request did not accept. */
export class UnknownEncoding extends Error {}

/** Returns up to MAX_BYTES and leaves the rest. Rejects when the answer breaks off before its end. */
export async function readBody(raw: Readable, contentEncoding: string): Promise<Body> {
  const decoders = decodersFor(contentEncoding)
  const [wire, plain] = [{ cut: false }, { cut: false }]
  let stream: AsyncIterable<Buffer> = upTo(MAX_BYTES, raw, wire)
  for (const decoder of decoders) {
    // The decoder passes a failure on to its reader.
    pipeline(stream, decoder, () => {})
    stream = decoder
  }
  // One buffer from the start: memory pages without a write cost nothing, and no byte is copied twice.
  const bytes = new Uint8Array(MAX_BYTES)
  let length = 0
  try {
    for await (const chunk of upTo(MAX_BYTES, stream, plain)) {
      bytes.set(chunk, length)
      length += chunk.length
    }
  } catch (error) {
    // After our cut the stream ends in the middle of a block. The bytes before are good.
    if (!wire.cut) throw error
  } finally {
    for (const each of [raw, ...decoders]) each.destroy()
  }
  return { bytes: bytes.subarray(0, length), cut: wire.cut || plain.cut }
}

async function* upTo(
  most: number,
  source: AsyncIterable<Buffer>,
  result: { cut: boolean },
): AsyncGenerator<Buffer> {
  let left = most
  for await (const chunk of source) {
    if (chunk.length > left) {
      result.cut = true
      yield chunk.subarray(0, left)
      return
    }
    left -= chunk.length
    yield chunk
  }
}

function decodersFor(contentEncoding: string): Duplex[] {
  const layers = contentEncoding
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && each !== 'identity')
  if (layers.length > MAX_LAYERS) throw new UnknownEncoding()
  // The header names the last applied encoding last.
  return layers.toReversed().map(decoderFor)
}

function decoderFor(name: string): Duplex {
  if (['gzip', 'x-gzip', 'deflate'].includes(name)) return createUnzip()
  if (name === 'br') return createBrotliDecompress()
  if (name === 'zstd') {
    // A server may ask for a window of 8 MiB. The default would allow 128.
    return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })
  }
  throw new UnknownEncoding()
}
