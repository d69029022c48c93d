// The format of the audit: entries, rows and permits, and how entries are added up. It runs in browsers, too.
export {
  AFTER_REFUSAL,
  alarmKindOf,
  foldAcknowledgement,
  foldAlarm,
  isAfterRefusal,
  isAlarmOpen,
  isUrgentByItself,
  openAlarmOf,
  urgencyOf,
  urgencyOfRefusals,
} from './format/alarm.ts'
export { asciiJson } from './format/ascii-json.ts'
export {
  type Beginning,
  beginningOf,
  type ChainHead,
  claimsOf,
  type RemovedFrom,
  type SignedClaims,
} from './format/checkpoint.ts'
export {
  AUDIT_EVENTS,
  type AuditEntry,
  type AuditEventName,
  BEGUN_EVENT,
  CONSOLE_EVENTS,
  decodeEntry,
  ERASED_EVENT,
  type Erased,
  encodeEntry,
  isAboutPermit,
  isNoticeEvent,
  isPermitEvent,
  MISLABELLED_EVENT,
  type Named,
  NOTICE_EVENTS,
  PERMIT_EVENTS,
  type PermitTerms,
  PLUGIN_EVENTS,
  SET_ASIDE,
  type SetAside,
  type StandingChoice,
  type StandingTerm,
  USED_EVENT,
} from './format/entry.ts'
export { fold, foldRepetition, type Happening, useKindOf } from './format/fold.ts'
export { lifeOf } from './format/life.ts'
export {
  ATTEMPT_MS,
  FAILURES_PER_ALARM,
  foldNotice,
  isNextAttempt,
  MAX_FAILURES,
  noticeDueAt,
  noticeKindsDue,
  noticePausedUntil,
  pendingKindsIn,
} from './format/notice.ts'
export {
  anyObject,
  eventTime,
  fits,
  flag,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Parser,
  text,
  unlessWrong,
  wholeNumber,
} from './format/parsers.ts'
export { isPausedAt, type PauseRecord } from './format/pause.ts'
export {
  type AnyPermit,
  foldAny,
  foldPermit,
  type GivenPermit,
  isReviewDue,
  type PermitDecision,
  type PermitRecord,
  parseAny,
  storedPermitOf,
} from './format/permit.ts'
export { isPlainObject } from './format/plain-object.ts'
export { nonEmptyText, type Present, positiveInteger, present } from './format/present.ts'
export { reasonOf } from './format/reason.ts'
export {
  ALL_OUTCOMES,
  type AlarmKind,
  type AlarmRank,
  type AuditPerson,
  type AuditRow,
  type Ending,
  endingOf,
  type Outcome,
  outcomeOf,
  type RowAlarm,
} from './format/row.ts'
export type { NamedEntry, RowLine } from './format/row-line.ts'
export {
  ATTEMPT_STAGES,
  type AttemptStage,
  NOTICE_KINDS,
  type NoticeKind,
  type NoticeMark,
  type NoticeTry,
  type RowNotice,
} from './format/row-notice.ts'
export {
  beginStanding,
  foldStanding,
  type StandingRecord,
  storedStandingOf,
} from './format/standing.ts'
export type { StoredPermit, StoredPermitState } from './format/stored-permit.ts'
export {
  asEscape,
  escapeControls,
  isPlain,
  isSeen,
  MAX_NOTE_LENGTH,
  MAX_REASON_LENGTH,
  NO_CONTROLS,
  saysSomething,
} from './format/text.ts'
export type { EndCause, Need, ToldActor, ToldEvent, ToldRequest, ToldUse } from './format/told.ts'
