"""How the page of a report looks: on screens light and dark, on paper white."""

# Nothing is loaded, whatever a service has written into a title; pictures are data of the page itself.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

CSS = """
:root { color-scheme: light dark; --faint: #8886; --over: light-dark(#b3261e, #ff8a80) }
body { font: 14px/1.45 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  background: light-dark(#fff, #16191c); color: light-dark(#1f2326, #e9ecef) }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; overflow-wrap: anywhere }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .4rem; border-bottom: 2px solid var(--faint) }
h3 { font-size: 1rem; margin: 1.4rem 0 .2rem; overflow-wrap: anywhere }
h2, h3, caption, section > p, thead { break-after: avoid }
p { margin: .3rem 0 .7rem; max-width: 46rem; overflow-wrap: anywhere }
a { color: inherit; text-decoration-color: var(--faint) }
nav ul { columns: 2; margin: .4rem 0; padding-left: 1.2rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; margin: .3rem 0 .8rem }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
th, td { text-align: right; vertical-align: top; padding: .2rem .45rem; border-bottom: 1px solid var(--faint);
  font-weight: 400 }
thead th { font-weight: 600; vertical-align: bottom }
.text { text-align: left; overflow-wrap: anywhere; min-width: 6.5em }
.ids { text-align: left; font-size: .85em; min-width: 11em }
.over { color: var(--over) }
i.hue { display: inline-block; width: .8em; height: .8em; border: 1px solid #8888; margin-right: .4em }
figure { margin: .6rem 0 1rem; break-inside: avoid } figure img { max-width: 100%; max-height: 240mm; height: auto }
tr { break-inside: avoid } thead { display: table-header-group }
dt { font-weight: 600; break-after: avoid } dd { margin: 0 0 .5rem 1rem; max-width: 46rem }
@page { size: A4; margin: 15mm }
@media print {
  :root { color-scheme: light } body { font-size: 8.5pt; max-width: none; margin: 0; padding: 0 }
  .wide { overflow: visible } th, td { padding: .1rem .25rem } .ids { min-width: 9em } nav { display: none }
  a { text-decoration: none } i.hue { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
@media (max-width: 40rem) { nav ul { columns: 1 } }
"""
