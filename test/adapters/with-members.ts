import { hasEnding, type SingleUseAdapter } from '../../src/adapters/contract.ts'

/** An adapter with some methods replaced, or removed with `undefined`. */
export function withMembers(sound: SingleUseAdapter, members: object): SingleUseAdapter {
  return {
    upsert: (...args) => sound.upsert(...args),
    find: (id) => sound.find(id),
    findByUid: (uid) => sound.findByUid(uid),
    findByUserCode: (code) => sound.findByUserCode(code),
    consume: (id) => sound.consume(id),
    consumeOnce: (...args) => sound.consumeOnce(...args),
    destroy: (id) => sound.destroy(id),
    revokeByGrantId: (grantId) => sound.revokeByGrantId(grantId),
    ...(hasEnding(sound) && {
      endOnce: sound.endOnce.bind(sound),
      list: sound.list.bind(sound),
      endedIndices: sound.endedIndices.bind(sound),
      ...(sound.followEnded && { followEnded: sound.followEnded.bind(sound) }),
    }),
    ...members,
  }
}
