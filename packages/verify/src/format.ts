// The format of the audit: entries, rows and permits, and how entries are added up. It runs in browsers, too.
export {
  alarmKindOf,
  foldAcknowledgement,
  foldAlarm,
  isAlarmByItself,
  isAlarmOpen,
  type PendingAlarm,
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
  ALERT_EVENTS,
  AUDIT_EVENTS,
  type AuditEntry,
  type AuditEventName,
  CONSOLE_EVENTS,
  decodeEntry,
  ERASED_EVENT,
  ERASING_EVENT,
  type Erased,
  encodeEntry,
  isAboutPermit,
  isAlertEvent,
  isNoticeEvent,
  isPermitEvent,
  MAX_DATE_MS,
  MISLABELLED_EVENT,
  type Named,
  NOTICE_EVENTS,
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
  whoSays,
} from './format/kinds.ts'
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
  quietAt,
} from './format/notice.ts'
export { isPlainObject } from './format/plain-object.ts'
export { nonEmptyText, type Present, positiveInteger, present } from './format/present.ts'
export { reasonOf } from './format/reason.ts'
export {
  changeOf,
  foldRecord,
  isNeedMet,
  parseRecord,
  pendingChangeOf,
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
export { type Alert, type AlertTry, PERMIT_CHANGES, type PermitChange } from './format/row-alert.ts'
export {
  ATTEMPT_STAGES,
  type AttemptStage,
  NOTICE_KINDS,
  type NoticeKind,
  type NoticeMark,
  type NoticeTry,
  type RowNotice,
} from './format/row-notice.ts'
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
export type { EndCause, Need, ToldActor, ToldEvent, ToldRequest, ToldUse } from './format/told.ts'
export {
  AFTER_REFUSAL,
  EMERGENCY,
  REVIEW_SEPARATOR,
  type Unapproved,
  unapprovedBy,
  unapprovedIn,
} from './format/unapproved.ts'
