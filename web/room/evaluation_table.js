// The classes of evaluation maps, from where change is least wanted to where it is most wanted. Written by `make openapi`.

/** @type {{ areatype: string, color: string, words: Record<string, string> }[]} */
export const EVALUATION_CLASSES = [
  { areatype: "red", color: "#D73027", words: { "ar": "قائم", "de": "Bestand", "en": "Existing", "es": "Existente", "fr": "Existant", "it": "Esistente", "pt-BR": "Existente" } },
  { areatype: "red2", color: "#F46D43", words: { "ar": "غير مناسب إطلاقًا", "de": "Gar nicht geeignet", "en": "Not at all appropriate", "es": "Nada apropiado", "fr": "Pas du tout approprié", "it": "Per nulla appropriato", "pt-BR": "Nada apropriado" } },
  { areatype: "yellow", color: "#FEE08B", words: { "ar": "غير مناسب", "de": "Nicht geeignet", "en": "Not appropriate", "es": "No apropiado", "fr": "Pas approprié", "it": "Non appropriato", "pt-BR": "Não apropriado" } },
  { areatype: "green", color: "#86BF8C", words: { "ar": "ممكن", "de": "Möglich", "en": "Capable", "es": "Posible", "fr": "Possible", "it": "Possibile", "pt-BR": "Possível" } },
  { areatype: "green2", color: "#31A354", words: { "ar": "مناسب", "de": "Geeignet", "en": "Suitable", "es": "Adecuado", "fr": "Adapté", "it": "Adatto", "pt-BR": "Adequado" } },
  { areatype: "green3", color: "#006837", words: { "ar": "قابل للتنفيذ", "de": "Umsetzbar", "en": "Feasible", "es": "Factible", "fr": "Réalisable", "it": "Fattibile", "pt-BR": "Viável" } },
];

export const OTHER_EVALUATION_COLOR = "#9E9E9E";
