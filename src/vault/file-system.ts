import { readFile, realpath, statfs } from 'node:fs/promises'

const NAMES: Record<number, string> = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x2fc12fc1: 'zfs',
  0xf2f52010: 'f2fs',
  0xca451a4e: 'bcachefs',
  0x794c7630: 'overlay',
  0x01021994: 'tmpfs',
  0x6969: 'nfs',
  0xff534d42: 'smb',
  0xfe534d42: 'smb',
  0x517b: 'smb',
  0x65735546: 'fuse',
  0x01021997: '9p',
}

const ADVICE: Record<string, string> = {
  overlay: 'a layer of a container, gone with it; mount a volume here',
  tmpfs: 'in the RAM of the machine, gone with the next start of the machine',
  smb: 'does not keep what the service relies on; use a local disk or NFSv4.1+',
  fuse: 'may not keep what the service relies on, as object stores do not; use a local disk or NFSv4.1+',
  '9p': 'may not keep what the service relies on; use a local disk or NFSv4.1+',
}

const NFS_ADVICE =
  'mount it with vers=4.1 or newer, lookupcache=none,noac; otherwise reads may be old'

/** What kind of file system holds the directory, and what is wrong with it for a store. */
export async function fileSystemOf(dir: string): Promise<{ name: string; advice?: string }> {
  const { type } = await statfs(dir)
  const name = NAMES[type] ?? `file system of type 0x${type.toString(16)}`
  if (name === 'nfs') return (await isSoundNfs(dir)) ? { name } : { name, advice: NFS_ADVICE }
  const advice = ADVICE[name]
  return advice ? { name, advice } : { name }
}

async function isSoundNfs(dir: string): Promise<boolean> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  const path = await realpath(dir)
  const [mount] = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, place = '']) => path === place || path.startsWith(`${place.replace(/\/$/, '')}/`))
    .toSorted((a, b) => (b[1]?.length ?? 0) - (a[1]?.length ?? 0))
  return mount !== undefined && soundNfsOptions(mount[3] ?? '')
}

/** Whether two machines with this mount see each other's files as they are. */
function soundNfsOptions(text: string): boolean {
  const options = new Set(text.split(','))
  const version = Number([...options].find((each) => each.startsWith('vers='))?.slice(5) ?? 0)
  return version >= 4.1 && options.has('lookupcache=none') && options.has('noac')
}
