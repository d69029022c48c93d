/** Some words of a language that the console does not have. */
export const FRENCH = {
  account: {
    title: 'Qui a agi en votre nom',
    reads: {
      one: 'Données consultées une fois',
      other: 'Données consultées {count} fois',
    },
  },
  notices: {
    subjects: { started: 'Le support agit en votre nom' },
    sentences: { started: '{who} agit en votre nom.' },
    hello: 'Bonjour {name},',
  },
  web: { product: 'Console du support' },
}
