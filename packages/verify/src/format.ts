// The format of the audit: entries, rows and permits, and how entries are added up. It runs in browsers, too.
export {
  alarmKindOf,
  foldAcknowledgement,
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
  nextToTell,
  noticeDueAt,
  noticeKindDue,
  overAt,
  quietAt,
} from './format/delivery.ts'
export {
  AUDIT_EVENTS,
  type AuditEntry,
  type AuditEventName,
  CONSOLE_EVENTS,
  DELIVERY_EVENTS,
  decodeEntry,
  ERASED_EVENT,
  ERASING_EVENT,
  type Erased,
  encodeEntry,
  isAboutPermit,
  isDeliveryEvent,
  isPermitEvent,
  MAX_DATE_MS,
  MISLABELLED_EVENT,
  type Named,
  PERMIT_EVENTS,
  type PermitTerms,
  PLUGIN_EVENTS,
  SET_ASIDE,
  type SetAside,
  USED_EVENT,
} from './format/entry.ts'
export { fold, useKindOf } from './format/fold.ts'
export {
  canSay,
  DAY_MS,
  isReviewDue,
  KINDS,
  type Kind,
  may,
  type RecordStateAt,
  recordStateAt,
  type Speaker,
  type Speaking,
  speakersOf,
  type Transition,
  type Unapproved,
  unapprovedBy,
  whoSays,
} from './format/kinds.ts'
export { lifeOf } from './format/life.ts'
export { isPlainObject } from './format/plain-object.ts'
export { nonEmptyText, type Present, positiveInteger, present } from './format/present.ts'
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
  ALARM_KINDS,
  ALL_OUTCOMES,
  type AlarmKind,
  type AuditPerson,
  type AuditRow,
  type Ending,
  endingOf,
  type Outcome,
  outcomeOf,
  type RefusedActs,
  type RowAlarm,
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
  asEscape,
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
  type Deliveries,
  type Delivery,
  NOTICE_KINDS,
  type NoticeKind,
  PERMIT_CHANGES,
  type PermitChange,
  type ToTell,
} from './format/to-tell.ts'
export type { EndCause, Need, ToldActor, ToldEvent, ToldRequest, ToldUse } from './format/told.ts'
