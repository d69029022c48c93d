// Names of the plugin for the sibling packages of this repository. Semantic versioning does not
// cover them, because each sibling has the plugin of its own version as a peer.
export { statusListId } from '../adapters/record.ts'
export { isBusy, openFile, primaryCode, tune } from '../adapters/sqlite/database.ts'
export { derivedKeys } from '../host/instance.ts'
export { findAccountById as findAccount } from '../host/request.ts'
export { readJsonBody } from '../http/body.ts'
export { answersFollowed } from '../impersonations/after-answer.ts'
export { requiredBinding } from '../issue/request.ts'
export { descriptionsOf } from '../options/descriptions.ts'
export {
  aFunction,
  group,
  integer,
  list,
  objectWith,
  oneOf,
  optionalGroup,
  resolve,
  someOf,
  text,
  valid,
} from '../options/rules.ts'
export { describeRule, explainRefusal } from '../policy/authorize.ts'
export { BoundedMap } from '../shared/bounded-map.ts'
export {
  IMPERSONATED_JTI_PREFIX,
  MAX_ACCESS_TOKEN_TTL,
  MAX_SUBJECT_TOKEN_TTL,
} from '../shared/constants.ts'
export { requestListener } from '../shared/request-listener.ts'
export { hasSeenEnds } from '../shared/text.ts'
export { endsWithin, limitTime } from '../shared/time.ts'
export { isSafe } from '../shared/uris.ts'
export { signCheckpoint } from './checkpoint.ts'
export { runOnce } from './once.ts'
