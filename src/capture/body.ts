/** The bytes of an answer: decompressed while they stream, and never more than are wanted. */
import { pipeline, type Duplex, type Readable } from 'node:stream'
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib'

/** 2 MiB, on the wire and decompressed alike. */
export const MOST_BYTES = 2 * 1024 * 1024
/** What is asked for. */
export const ENCODINGS = 'gzip, br, zstd'
/** Each further layer multiplies what a bomb can ask for, and nobody uses a second one. */
const MOST_LAYERS = 2

export interface Body {
  /** Alone in its memory, so that it can be handed on to a thread. */
  bytes: Uint8Array<ArrayBuffer>
  /** There was more. */
  cut: boolean
}

/** The answer is encoded in a way that nobody asked for. */
export class UnknownEncoding extends Error {}

/** Reads up to MOST_BYTES and leaves the rest. Rejects when the answer breaks off before its end. */
export async function readBody(raw: Readable, contentEncoding: string): Promise<Body> {
  const decoders = decodersFor(contentEncoding)
  const [wire, plain] = [{ cut: false }, { cut: false }]
  let stream: AsyncIterable<Buffer> = upTo(MOST_BYTES, raw, wire)
  for (const decoder of decoders) {
    // A failure comes out of the decoder, where it is read.
    pipeline(stream, decoder, () => {})
    stream = decoder
  }
  // Taken at once: pages of it that are never written cost nothing, and nothing is copied twice.
  const bytes = new Uint8Array(MOST_BYTES)
  let length = 0
  try {
    for await (const chunk of upTo(MOST_BYTES, stream, plain)) {
      bytes.set(chunk, length)
      length += chunk.length
    }
  } catch (error) {
    // Cut by us, it ends in the middle of a block: what came before stands.
    if (!wire.cut) throw error
  } finally {
    for (const each of [raw, ...decoders]) each.destroy()
  }
  return { bytes: bytes.subarray(0, length), cut: wire.cut || plain.cut }
}

async function* upTo(
  most: number,
  source: AsyncIterable<Buffer>,
  told: { cut: boolean },
): AsyncGenerator<Buffer> {
  let left = most
  for await (const chunk of source) {
    if (chunk.length > left) {
      told.cut = true
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
  if (layers.length > MOST_LAYERS) throw new UnknownEncoding()
  // The one named last was applied last.
  return layers.toReversed().map(decoderFor)
}

function decoderFor(name: string): Duplex {
  if (['gzip', 'x-gzip', 'deflate'].includes(name)) return createUnzip()
  if (name === 'br') return createBrotliDecompress()
  if (name === 'zstd') {
    // A window of 8 MiB is all that a server may ask for; the default would allow 128.
    return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })
  }
  throw new UnknownEncoding()
}
