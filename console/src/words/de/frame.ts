import type { frame as english } from '../en/frame.ts'
import type { Translated } from '../words.ts'

export const frame: Translated<typeof english> = {
  product: 'Support-Konsole',
  skip: 'Zum Inhalt springen',
  navigation: 'Seiten',
  loading: 'Einen Moment …',
  close: 'Schließen',
  cancel: 'Abbrechen',
  dismiss: 'Ausblenden',
  tryAgain: 'Erneut versuchen',
  openAlarms: { one: '{count} offener Alarm', other: '{count} offene Alarme' },
  roles: { operator: 'Support', lead: 'Leitung', auditor: 'Revision' },
  signOut: 'Abmelden',
  shortcuts: 'Tastenkürzel',
  shortcutHint: '{key} zeigt die Tastenkürzel',
  shortcutList: 'Tastenkürzel anzeigen',
  shortcutSearch: 'Nach einem Kunden suchen',
  shortcutBack: 'Zurück',
  keys: { '/': '/', '?': '?', Escape: 'Esc', 'Control+Enter': 'Strg + Eingabe' },
  notFoundTitle: 'Diese Seite gibt es nicht',
  notFound: 'Die Adresse ist falsch, oder die Seite ist für andere Rollen bestimmt.',
  toStart: 'Zur ersten Seite',
}
