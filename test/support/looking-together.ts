import type { Adapter } from 'oidc-provider'

export type AdapterFactory = (model: string) => Adapter

/** How many requests {@link together} sends. */
export const COPIES = 20

/** How many requests look for the same record. */
let expected = 1

/**
 * Each look-up of a record waits until all expected look-ups are done: the worst order for a race.
 */
export function lookingTogether(adapter: AdapterFactory): AdapterFactory {
  const meetings = new Map<string, { looked: number; all: PromiseWithResolvers<void> }>()
  const meet = async (id: string) => {
    const meeting = meetings.get(id) ?? { looked: 0, all: Promise.withResolvers<void>() }
    meetings.set(id, meeting)
    meeting.looked += 1
    if (meeting.looked >= expected) meeting.all.resolve()
    await meeting.all.promise
  }
  return (model) => {
    const records = adapter(model)
    if (model !== 'ReplayDetection') return records
    return new Proxy(records, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property)
        if (typeof member !== 'function') return member
        return async (id: string, ...others: unknown[]) => {
          const answer: unknown = await Reflect.apply(member, target, [id, ...others])
          if (property === 'find') await meet(id)
          return answer
        }
      },
    })
  }
}

/** Sends twenty requests at once. All of them look for one record at the same time. */
export async function together<T>(request: () => Promise<T>): Promise<T[]> {
  expected = COPIES
  try {
    return await Promise.all(Array.from({ length: COPIES }, request))
  } finally {
    expected = 1
  }
}
