import { setImmediate as nextTurn } from 'node:timers/promises'

/** The warnings of a process come a turn later. */
export async function warningsOf(
  work: () => Promise<unknown>,
): Promise<readonly NodeJS.ErrnoException[]> {
  const warnings: NodeJS.ErrnoException[] = []
  const collect = (warning: Error) => {
    if (warning.name === 'ImpersonationWarning') warnings.push(warning)
  }
  process.on('warning', collect)
  try {
    await work()
    await nextTurn()
  } finally {
    process.off('warning', collect)
  }
  return warnings
}
