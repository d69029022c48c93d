import { html } from '../html.ts'
import type { Words } from './en.ts'

export const de: Words = {
  signIn: {
    title: 'Anmelden',
    login: 'Benutzername',
    password: 'Passwort',
    submit: 'Anmelden',
    cancel: 'Abbrechen',
    wrong: 'Benutzername oder Passwort ist falsch.',
    tooMany: 'Das waren zu viele Versuche. Versuchen Sie es später noch einmal.',
    expired: 'Diese Anmeldung ist abgelaufen, oder sie begann in einem anderen Browser.',
    foreign: 'Dieses Formular kommt nicht von der Anmeldeseite.',
    unreadable: 'Das Formular ließ sich nicht lesen.',
  },
  signedIn: 'Sie sind angemeldet',
  notSignedIn: {
    title: 'Sie sind nicht angemeldet',
    cancelled: 'Die Anmeldung wurde abgebrochen.',
    refused: 'Der Anmeldedienst hat Sie nicht zugelassen.',
  },
  signOut: {
    title: 'Abmelden?',
    submit: 'Abmelden',
    stay: 'Angemeldet bleiben',
    underWay: 'Sie werden abgemeldet',
    done: 'Sie sind abgemeldet',
  },
  error: {
    title: 'Das hat nicht geklappt',
    unknown: 'Etwas ist schiefgegangen.',
    again: 'Gehen Sie zurück zur Anwendung, und beginnen Sie noch einmal.',
    code: 'Das Team, das sie betreibt, will vielleicht diesen Code wissen:',
  },
  close: 'Sie können diese Seite schließen.',
  mail: {
    title: 'Post',
    about:
      'Das würden Kunden erhalten. Mit SMTP_URL wird es verschickt und steht nicht auf dieser Seite.',
    none: 'Es gibt noch keine Post.',
    to: 'An',
  },
  start: {
    title: 'In fremdem Namen handeln, in fünf Geschichten',
    about:
      'Ein OpenID-Provider mit einer Support-Konsole, und ein Laden, dessen Kunden Hilfe brauchen. Zwei Personen brauchen zwei Browser. Öffnen Sie für die zweite ein privates Fenster. Wenn die Konsole nach einer Notiz fragt, schreiben Sie den Grund. Klicken Sie vor der nächsten Geschichte im Banner des Ladens auf Beenden.',
    password: (password) => html`Alle melden sich mit dem Passwort ${password} an.`,
    open: (who, link) => html`Öffnen Sie als ${who} ${link}.`,
    stay: (who) => html`Bleiben Sie wieder als ${who} im selben Fenster.`,
    press: (controls) => html`Klicken Sie auf ${controls}.`,
    andThen: ', dann auf ',
    confirm: ' und bestätigen Sie mit ',
    form: (ticket) => `das Formular für Ticket ${ticket}`,
    inbox: 'den Eingang',
    account: 'Ihr Konto',
    stories: [
      {
        title: 'Für ein Ticket handeln',
        about: 'Alice fragt, wo ihr Paket ist. Olivia vom Support sieht nach.',
        reason: 'Das Paket ist nicht angekommen',
        press: [['Als Alice Ng handeln']],
        see: 'Der Laden öffnet sich in einem neuen Tab, als Alice. Das Banner sagt, wer als wer handelt, für welches Ticket und wie lange, und beendet es.',
      },
      {
        title: 'Eine Änderung, die die Leitung freigibt',
        about:
          'Eine Änderung in Chidis Konto braucht eine zweite Person. Grace leitet den Support.',
        reason: 'Der Lieferhinweis ist falsch',
        press: [['Um Freigabe bitten'], ['Freigeben', 'Freigeben'], ['Als Chidi Okeke handeln']],
        see: 'Olivia erfährt es sofort. Nimmt Grace die Freigabe zurück, während Olivia handelt, wird der Laden binnen Sekunden verdeckt.',
      },
      {
        title: 'Eine Kundin, die gefragt wird',
        about: 'Niemand handelt als Dana, bevor sie es erlaubt.',
        reason: 'Die Kundin sieht die letzte Bestellung nicht',
        press: [['Um Freigabe bitten'], ['Erlauben'], ['Als Dana Schmidt handeln']],
        see: 'Die Mail an Dana sagt, wer fragt, und führt auf die Seite, auf der sie antwortet.',
      },
      {
        title: 'Ein Notfall und was danach kommt',
        about:
          'Niemand von der Leitung ist da, und Chidis Bestellung geht in fünf Minuten ab. Oscar sagt, warum, und handelt.',
        reason: 'Die Adresse ist falsch, und die Bestellung geht jetzt ab',
        press: [
          ['Ohne Freigabe handeln', 'Ohne Freigabe beginnen'],
          ['Ich habe es angesehen', 'Ich habe es angesehen'],
        ],
        see: 'Es ist überall gekennzeichnet. Bevor Grace es angesehen hat, kann Oscar es nicht noch einmal tun.',
      },
      {
        title: 'Ein Kunde, der widerspricht',
        about: 'Bob hat nie angerufen, und doch handelt Oscar in seinem Namen.',
        reason: 'Eine Frage zu einer Bestellung',
        press: [
          ['Als Bob Marsh handeln'],
          ['Darum habe ich nicht gebeten', 'Der Leitung sagen'],
          ['Sperre aufheben', 'Sperre aufheben'],
        ],
        see: 'Der Laden wird in Oscars Tab verdeckt, Grace sieht, warum, und Oscar kann nicht als Bob handeln, bis sie die Sperre aufhebt.',
      },
    ],
    seeLabel: 'Was Sie sehen:',
    more: 'Was es alles gibt',
    people: 'Wer sich anmelden kann',
    places: {
      console: 'Die Support-Konsole',
      shop: 'Der Laden, für Kunden',
      account: 'Das Konto, in dem Kunden sehen, wer in ihrem Namen gehandelt hat',
      mail: 'Die Post an Kunden',
      openapi: 'Die API, als OpenAPI-Dokument',
    },
    roles: { customer: 'Kunden', operator: 'Support', lead: 'Leitung', auditor: 'Revision' },
    history: (command) => html`Für ein Protokoll mit einem Jahr darin starten Sie mit ${command}.`,
    commands: (command) => html`Für dasselbe als Befehle starten Sie mit ${command}.`,
  },
}
