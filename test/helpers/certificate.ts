/** A certificate made on the spot, so that no key lies in the repository. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** PEM, for a TLS server. Trust it with `tls.setDefaultCACertificates`. */
export interface Certificate {
  cert: string
  key: string
}

/** Signed by itself, good for a day, for these names. */
export function makeCertificate(names: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const name = sequence(
    der(0x31, sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(names[0]!)))),
  )
  const time = (shift: number): Buffer =>
    der(
      0x18,
      Buffer.from(`${new Date(Date.now() + shift).toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`),
    )
  const day = 86_400_000
  const subjectAltName = sequence(
    der(0x06, Buffer.from('551d11', 'hex')),
    der(0x04, sequence(...names.map((each) => der(0x82, Buffer.from(each))))),
  )
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(-day), time(day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectAltName)),
  )
  const signature = sign('sha256', body, privateKey)
  const whole = sequence(
    body,
    ecdsaWithSha256,
    der(0x03, Buffer.concat([Buffer.from([0]), signature])),
  )
  const lines = whole.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts))

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
