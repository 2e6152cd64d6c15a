/** A developer's command that cannot do its work says why in one line, and fails. */
export async function tell(program: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error(`${program}: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
