import type { SingleUseAdapter } from '../../src/adapters/contract.ts'

/** An adapter with some methods replaced, or removed with `undefined`. */
export function withMembers(sound: SingleUseAdapter, members: object): SingleUseAdapter {
  return { ...sound, ...members }
}
