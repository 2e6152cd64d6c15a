/** Runs a developer's command. One that cannot do its work prints the reason in one line, and fails. */
export async function reportFailure(program: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error(`${program}: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
