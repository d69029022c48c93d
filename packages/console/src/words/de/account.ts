import type { account as english } from '../en/account.ts'
import type { Translated } from '../words.ts'

export const account: Translated<typeof english> = {
  product: 'Ihr Konto',
  title: 'Wer in Ihrem Namen gehandelt hat',
  signInAbout:
    'Sehen Sie, wer vom Support-Team in Ihrem Namen gehandelt hat und was getan wurde, und beenden Sie es.',
  about:
    'Wenn Sie um Hilfe bitten, kann eine Person vom Support-Team für kurze Zeit in Ihrem Namen handeln. Jedes Mal ist hier aufgeführt.',
  lookAgain: 'Neu laden',
  now: 'Gerade jetzt',
  notNow: 'Im Moment handelt das Support-Team nicht in Ihrem Namen.',
  before: 'Früher',
  never: 'Das Support-Team hat noch nicht in Ihrem Namen gehandelt.',
  neverBefore: 'Davor gab es nichts.',
  older: 'Ältere anzeigen',
  support: 'Eine Person vom Support-Team',
  actsAsYou: '{who} handelt in Ihrem Namen',
  actedAsYou: '{who} handelte in Ihrem Namen',
  askedToAct: '{who} wollte in Ihrem Namen handeln',
  ticket: 'Ticket',
  noTicket: 'keines genannt',
  application: 'Wo',
  started: 'Beginn',
  askedAt: 'Angefragt',
  ended: 'Ende',
  endsAt: 'Endet von selbst',
  could: 'Erlaubt',
  look: 'Nur ansehen',
  lookAndChange: 'Ansehen und ändern',
  did: 'Was getan wurde',
  didNothing: 'Es wurde nichts gemeldet.',
  didNothingYet: 'Bisher wurde nichts gemeldet.',
  times: { one: 'einmal', other: '{count}-mal, zuletzt {at}' },
  wasRefused: 'versucht und abgelehnt',
  reads: { one: 'Einmal Daten angesehen', other: '{count}-mal Daten angesehen' },
  changes: { one: 'Einmal Daten geändert', other: '{count}-mal Daten geändert' },
  refusals: {
    one: 'Einmal etwas versucht, das abgelehnt wurde',
    other: '{count}-mal etwas versucht, das abgelehnt wurde',
  },
  replays: {
    one: 'Der Schlüssel dazu wurde ein zweites Mal verwendet und abgelehnt. Vielleicht wurde er gestohlen.',
    other:
      'Der Schlüssel dazu wurde noch {count}-mal verwendet und abgelehnt. Vielleicht wurde er gestohlen.',
  },
  states: {
    waiting: 'Noch nicht begonnen',
    running: 'Läuft',
    ended_by_you: 'Von Ihnen beendet',
    ended: 'Vom Support-Team beendet',
    signed_out: 'Beendet durch Abmeldung',
    replayed: 'Beendet: Schlüssel erneut verwendet',
    policy: 'Durch eine Regel beendet',
    expired: 'Zeit abgelaufen',
    unused: 'Nie begonnen',
    refused: 'Abgelehnt',
  },
  end: 'Jetzt beenden',
  endLabel: 'Jetzt beenden: {who}',
  endDone:
    'Sie haben es beendet. {who} handelt nicht mehr in Ihrem Namen: Binnen 8 Sekunden lehnen prüfende Dienste es ab, und eine offene Seite der Anwendung sagt es. Was vorher geändert wurde, bleibt so.',
  object: 'Darum habe ich nicht gebeten',
  objectLabel: 'Darum habe ich nicht gebeten: {who}, {at}',
  objectTitle: 'Sie haben nicht darum gebeten?',
  objectAbout:
    'Wir sagen es sofort der Leitung des Support-Teams. Sie sieht, wer wann in Ihrem Namen gehandelt hat und was getan wurde.',
  objectEnds: 'Es läuft noch. Wir beenden es auch für Sie.',
  note: 'Sollte die Leitung noch etwas wissen?',
  noteHelp: 'Sie können das leer lassen. Höchstens 500 Zeichen.',
  objectSend: 'Der Leitung sagen',
  objectDone:
    'Danke. Die Leitung des Support-Teams sieht es jetzt und geht der Sache nach. Sie müssen nichts weiter tun.',
  objectDoneNotEnded:
    'Die Leitung des Support-Teams sieht es jetzt. Beenden ließ es sich aber nicht: Klicken Sie auf „Jetzt beenden“.',
  objected:
    'Am {at} haben Sie gesagt, dass Sie nicht darum gebeten haben. Das Support-Team geht der Sache nach.',
}
