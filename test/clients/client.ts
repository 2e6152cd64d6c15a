/** The socket of the clients: what the bench knows of each, and how it runs one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Where a client runs. */
export interface Place {
  /** Its home, shared by all clients of one user. */
  home: string
  /** The folder of the clients' packages. */
  modules: string
  /** The server that plays the model. */
  model: string
}

/** One session of a client with its user. */
export interface Conversation {
  /** Says something to the agent, and answers with its last words once it has stopped. */
  ask(prompt: string): Promise<string>
  /** The client's own id of the session, known after the first answer. */
  session(): string
  /** Closes the client as its user does. */
  close(): Promise<void>
}

export interface Begin {
  cwd: string
  /** A session that is taken up again. */
  resume?: string
  /** A copy of it goes on in its place. */
  fork?: boolean
  /** The agent is to make a plan first. */
  plans?: boolean
}

export interface RealClient {
  /** As the service names it. */
  name: string
  /** As `install-hooks --client` names it. */
  installed: string
  /** The model as a record of it has to name it. */
  model: string
  /** The tool by which its agent starts another, with this prompt. Undefined: it has none. */
  subagent?(prompt: string): { tool: string; arguments: Record<string, unknown> }
  /** The path that it tells its agent to write a plan to. Undefined: it has no such file. */
  planFile?: RegExp
  /** Writes the client's own configuration: the model, and whatever would ask a question. */
  prepare(place: Place): Promise<void>
  begin(place: Place, begin: Begin): Conversation
}

/** Nothing of the surrounding environment but a way to the programs. */
export const environment = (place: Place, more: Record<string, string> = {}) => ({
  HOME: place.home,
  PATH: `${process.execPath.replace(/\/[^/]+$/, '')}:/usr/local/bin:/usr/bin:/bin`,
  TERM: 'xterm',
  ...more,
})

export interface Ran {
  stdout: string
  stderr: string
}

/** Runs a client for one prompt. Throws with what it said when it fails. */
export async function runOnce(
  command: string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<Ran> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr.slice(-2000)}`)
  return { stdout, stderr }
}

/** A client that is run anew for each prompt, and takes its session up again. */
export function byPrompts(
  { resume, fork = false }: Begin,
  run: (
    prompt: string,
    known: { resume: string | undefined; fork: boolean },
  ) => Promise<{ said: string; session: string }>,
): Conversation {
  let [session, forks] = [resume, fork]
  return {
    async ask(prompt) {
      const answer = await run(prompt, { resume: session, fork: forks })
      session = answer.session
      forks = false
      return answer.said
    },
    session: () => session ?? '',
    close: async () => {},
  }
}
