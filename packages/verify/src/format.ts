// The format of the audit: entries, rows and permits, and how entries are added up. It runs in browsers, too.
export {
  alarmKindOf,
  foldAlarm,
  isAlarmByItself,
  isAlarmOpen,
  pendingAlarmOf,
} from './format/alarm.ts'
export { asciiJson } from './format/ascii-json.ts'
export {
  type AnswerRecord,
  type AuditRecord,
  isAnswer,
  isPermit,
  isStop,
  type PermitRecord,
  RECORD_KINDS,
  RECORD_STATES,
  type RecordKind,
  type RecordState,
  SAID_EVENTS,
  type SaidEvent,
  type SaidWord,
  type StopRecord,
  type StoredRecord,
} from './format/audit-record.ts'
export {
  ATTEMPT_MS,
  MAX_FAILURES,
  nextDelivery,
  noticeKindDue,
  overAt,
  quietAt,
} from './format/delivery.ts'
export {
  AUDIT_EVENTS,
  type AuditEntry,
  CONSOLE_EVENTS,
  decodeEntry,
  ERASED_EVENT,
  ERASING_EVENT,
  encodeEntry,
  isAboutPermit,
  isDeliveryEvent,
  MAX_DATE_MS,
  MISLABELLED_EVENT,
  type Named,
  type PermitTerms,
  SET_ASIDE,
  type SetAside,
  USED_EVENT,
} from './format/entry.ts'
export { fold, useKindOf } from './format/fold.ts'
export { isPlainObject } from './format/guards.ts'
export {
  canSay,
  DAY_MS,
  isReviewDue,
  KINDS,
  may,
  type RecordStateAt,
  recordStateAt,
  type Speaking,
  speakersOf,
  type Unapproved,
  unapprovedBy,
} from './format/kinds.ts'
export { nonEmptyText, present } from './format/present.ts'
export { reasonOf } from './format/reason.ts'
export {
  changeOf,
  foldRecord,
  isNeedMet,
  parseRecord,
  pendingChangeOf,
  pendingNoticeOf,
  saidIn,
  storedRecordOf,
} from './format/record.ts'
export {
  ALL_OUTCOMES,
  type AlarmKind,
  type AuditPerson,
  type AuditRow,
  type Ending,
  endingOf,
  type Outcome,
  outcomeOf,
  type RowUse,
} from './format/row.ts'
export { isSameTicket, ticketKey } from './format/same-ticket.ts'
export {
  EVENT_SENTENCES,
  type EventSentences,
  endingIn,
  fill,
  SLOT,
  sentenceFor,
} from './format/sentence.ts'
export {
  escapeControls,
  isPlain,
  isSeen,
  MAX_NOTE_LENGTH,
  MAX_REASON_LENGTH,
  NO_CONTROLS,
  saysSomething,
} from './format/text.ts'
export {
  type AllDeliveries,
  AUDIENCES,
  type Audience,
  type Delivery,
  NOTICE_KINDS,
  type NoticeKind,
  type PermitChange,
  type ToTell,
} from './format/to-tell.ts'
export type { EndCause, Need, ToldActor, ToldRequest, ToldUse } from './format/told.ts'
