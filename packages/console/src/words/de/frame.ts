import type { frame as english } from '../en/frame.ts'
import type { Translated } from '../words.ts'

export const frame: Translated<typeof english> = {
  software: '{software}, für {operator}',
  product: 'Support-Konsole',
  skip: 'Zum Inhalt springen',
  navigation: 'Seiten',
  loading: 'Einen Moment …',
  close: 'Schließen',
  cancel: 'Abbrechen',
  dismiss: 'Ausblenden',
  tryAgain: 'Erneut versuchen',
  openAlarms: { one: '{count} Alarm jetzt anzusehen', other: '{count} Alarme jetzt anzusehen' },
  interrupted:
    'Der Server antwortet gerade nicht: Was Sie sehen, kann veraltet sein. Diese Seite versucht es von selbst wieder.',
  roles: { operator: 'Support', lead: 'Leitung', auditor: 'Revision' },
  signOut: 'Abmelden',
  signOutFailed:
    'Sie sind nicht abgemeldet, weil nicht beendet werden konnte, was bei Ihnen läuft.',
  signOutAnyway: 'Trotzdem abmelden',
  signIn: 'Anmelden',
  signInAbout:
    'Für das Support-Team: für Kunden handeln, sehen, was läuft, und lesen, wer was getan hat.',
  signInAgain: 'Erneut anmelden',
  signInOther: 'Als andere Person anmelden',
  signInEnds: {
    expired:
      'Ihre Anmeldung ist abgelaufen. Melden Sie sich erneut an. Was Sie eingegeben haben, bleibt erhalten.',
    'other person': 'Eine andere Person hat sich in diesem Browser angemeldet.',
    'signed out': 'Sie haben sich in einem anderen Tab abgemeldet.',
  },
  signInTroubles: {
    cancelled: 'Die Anmeldung wurde abgebrochen.',
    elsewhere:
      'Diese Anmeldung begann in einem anderen Tab oder ist schon vorbei. Melden Sie sich hier an.',
    late: 'Die Anmeldung hat zu lange gedauert. Melden Sie sich noch einmal an.',
    nowhere:
      'Die Anmeldung ist nicht dort, wo ihr Aussteller (issuer) sagt: Dort ist nichts. Sagen Sie es dem Team, das sie betreibt.',
    refused: 'Der Anmeldedienst hat Sie nicht zugelassen.',
  },
  turnedAwayTitle: 'Sie haben hier keine Rolle',
  turnedAway: 'Sie sind als {person} angemeldet. Dieses Konto gehört nicht zum Support-Team.',
  noScript:
    'Diese Seite läuft in Ihrem Browser, damit Tokens in seinem Speicher bleiben: Sie braucht JavaScript.',
  shortcuts: 'Tastenkürzel',
  shortcutHint: '{keys} zeigt die Tastenkürzel',
  shortcutList: 'Tastenkürzel anzeigen',
  shortcutSearch: 'Nach einem Kunden suchen',
  shortcutBack: 'Zurück',
  keys: { '/': '/', '?': '?', Escape: 'Esc', 'Control+Enter': 'Strg + Eingabe' },
  notFoundTitle: 'Diese Seite gibt es nicht',
  notFound: 'Vielleicht ist die Adresse falsch, oder die Seite ist für andere Rollen bestimmt.',
  toStart: 'Zur Startseite',
}
