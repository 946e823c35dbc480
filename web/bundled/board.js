function a(o,e={},...t){let r=document.createElement(o);for(let[i,n]of Object.entries(e))n!==void 0&&(i.includes("-")||i==="role"?r.setAttribute(i,n):r[i]=n);return r.append(...t.filter(i=>i!=null&&i!==!1)),r}function u(o,e,t={}){let r=a("button",{type:"button",...t},o);return r.addEventListener("click",e),r}function f(o,e){let t=a(e||"span",{className:"swatch"});return t.style.background=o,t}var b=`/* Sliders on the left, results on the right; one below the other on narrow screens. */
.board .beside { display: grid; grid-template-columns: minmax(300px, 2fr) 3fr; gap: 0; align-items: stretch; }
.board .sliders { padding: 6px 10px 10px; border-inline-end: var(--line); }
.board .answers { padding: 6px 10px 10px; min-inline-size: 0; margin: 0; font-size: inherit; }
.board .tables { overflow-x: auto; }
.board .tables:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }
.board summary { font-weight: 600; padding: 4px 0; cursor: pointer; }
.board .slider { display: grid; grid-template-columns: minmax(0, 1fr) minmax(70px, 1fr) 8.5em; gap: 8px; align-items: center; padding: 2px 0; }
.board .slider small { display: block; color: var(--quiet); }
.board input[type="range"] { inline-size: 100%; padding: 0; border: 0; accent-color: var(--focus); }
.board input[type="number"] { inline-size: 100%; box-sizing: border-box; padding: 2px 6px; text-align: end; }
.board input:invalid { border-color: var(--over); }
.board .best { font-weight: 600; max-width: none; }
.board td { white-space: nowrap; }
.board .missed { color: var(--over); }
@media (max-width: 800px) { .board .beside { grid-template-columns: minmax(0, 1fr); } .board .sliders { border-inline-end: 0; border-block-end: var(--line); } }
.board .total :is(th, td) { font-weight: 600; }
`;var w=`/* Style of all pages, made in Python or in Rust: colours, text, tables and legends. A page is light or
   dark as the screen is, or as its class says. Paper is white. */
:root, .light { color-scheme: light; --paper: #ffffff; --ink: #2b2f33; --faint: #c9ced3; --quiet: #5f676e; --land: #f4f2ed;
  --water: #e9eef2; --over: #b3261e; --focus: #1a5fb4; --bar: #2f6f9f }
.dark { color-scheme: dark; --paper: #16191c; --ink: #e9ecef; --faint: #4b5359; --quiet: #a9b1b8; --land: #262b2f;
  --water: #1d2226; --over: #ff8a80; --focus: #8ab4f8; --bar: #7ab8e0 }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --paper: #16191c; --ink: #e9ecef; --faint: #4b5359; --quiet: #a9b1b8;
    --land: #262b2f; --water: #1d2226; --over: #ff8a80; --focus: #8ab4f8; --bar: #7ab8e0 }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
.document { max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .2rem }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem }
h3 { font-size: 1rem; margin: 1.4rem 0 .2rem }
h2, h3, caption, section > p, thead, dt { break-after: avoid }
p { margin: .3rem 0 .7rem; max-width: 46rem }
a { color: inherit; text-decoration-color: var(--faint) }
nav ul { columns: 2; margin: .4rem 0; padding-inline-start: 1.2rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; margin: .3rem 0 .8rem }
caption { text-align: start; font-weight: 600; padding: .3rem 0 }
th, td { text-align: end; vertical-align: top; padding: .2rem .45rem; border-bottom: 1px solid var(--faint);
  overflow-wrap: normal }
th { font-weight: inherit }
thead th { font-weight: 600; vertical-align: bottom }
.text { text-align: start; overflow-wrap: anywhere; min-width: 6.5em }
tbody th.text { min-width: 8.5em }
.mark { text-align: center; overflow-wrap: anywhere }
.turned { text-align: center; white-space: nowrap }
thead .turned { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; max-height: 12rem; white-space: normal; margin: 0 auto }
.ids { text-align: start; overflow-wrap: anywhere; font-size: .85em; min-width: 11em }
/* In a notebook, an element has a colour of its own. */
.over { color: var(--over) !important }
.swatch { display: inline-block; width: .8em; height: .8em; border: 1px solid #8888; margin-inline-end: .4em }
figure { margin: .6rem 0 1rem; break-inside: avoid }
/* A picture of a text; what Leaflet draws has its own size. */
svg:where(:not(.leaflet-zoom-animated)) { max-width: 100%; height: auto; vertical-align: middle }
.defs { position: absolute }
.sample { width: 1.7em; height: 1.15em; margin-inline-end: .4em; border: 1px solid #8888; vertical-align: -.2em }
.key { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .5rem 0; padding: 0 }
.note { color: var(--quiet); font-size: .88em; max-width: none }
.answers { font-size: 1.12rem; line-height: 1.4; margin: .6rem 0 }
.answers p { margin: .25rem 0; max-width: none }
/* A cell in a colour, which its mark and its words repeat. */
.look { text-align: start }
.look > * { white-space: nowrap }
th.look { width: 1%; min-width: 5.2em }
.look > span, td.mark span, td.turned span { display: inline-block; padding: 0 .35em; border-radius: .25em; color: #1d2226 }
td.mark span, td.turned span { padding: 0 .15em }
.good { background: #bfe3cb } .fair { background: #f3e3a8 } .poor { background: #f6c9c2 } .unsure { background: #d9dee3 }
.hero { display: grid; grid-template-columns: var(--hero, 1fr) minmax(0, 1fr); gap: 4mm; align-items: start }
.hero:not([style]) { grid-template-columns: minmax(0, 1fr) }
svg .place { text-anchor: middle; font-size: 26px; font-weight: 600; stroke: var(--paper); stroke-width: 7; paint-order: stroke }
.maps { display: grid; grid-template-columns: repeat(var(--columns), 1fr); gap: 4mm; margin: .5rem 0 }
.maps figure { margin: 0 }
.beside { display: grid; grid-template-columns: 106mm 1fr; gap: 6mm; align-items: start }
.beside figure { margin: 0 }
/* Drawings are in tenths of a millimetre. */
.land { fill: var(--land) }
.outline { fill: none; stroke: var(--quiet); stroke-width: 2.5 }
.fill { stroke: var(--paper); stroke-width: 1.2; fill-opacity: .92 }
.line { fill: none; stroke: var(--hue); stroke-width: 6 }
.policy { fill: none; stroke: var(--hue); stroke-width: 4; stroke-dasharray: 12 7 }
.mark { fill: var(--hue); stroke: var(--paper); stroke-width: 2 }
@media screen and (prefers-color-scheme: dark) { .line, .policy { stroke: color-mix(in srgb, var(--hue) 60%, var(--ink)) } }
.marks { fill: none; stroke-width: 2.2 }
.marks.light { stroke: #ffffffb0 }
.marks.dark { stroke: #000000a0 }
.agree1 { fill: #a1dab4 } .agree2 { fill: #60c2c0 } .agree3 { fill: #2f8fbd } .agree4 { fill: #265aa5 } .agree5 { fill: #0b1f5c }
.claimed { fill: var(--faint) }
.collision { fill: var(--over); stroke: var(--over); stroke-width: 2 }
.ring { fill: none; stroke: var(--over); stroke-width: 4 }
/* Diagrams that were decided on: areas, and lines too thin to fill. */
.decided { fill-opacity: .85; stroke-width: 5; stroke: currentColor }
.decided.agree3 { color: #2f8fbd } .decided.collision { color: var(--over) } .decided.claimed { color: var(--quiet); fill: var(--quiet) }
.bar { fill: var(--bar) }
.axis { stroke: var(--quiet); stroke-width: 2 }
svg text { fill: var(--ink); font-size: 30px }
svg .middle { text-anchor: middle }
svg .end { text-anchor: end }
tr { break-inside: avoid }
thead { display: table-header-group }
dt { font-weight: 600 }
dd { margin: 0 0 .5rem 1rem; max-width: 46rem }
@page { margin: 14mm 15mm 16mm; font: 8pt system-ui, sans-serif; @bottom-right { content: counter(page) " / " counter(pages) } }
.paper { display: none }
@media print {
  .paper { display: inline }
  body { font-size: 8.5pt; line-height: 1.33 }
  .document { max-width: none; margin: 0; padding: 0 }
  .wide { overflow: visible }
  th, td { padding: .08rem .25rem }
  td.mark { padding-inline: .1rem }
  .ids { min-width: 9em }
  h1 { font-size: 16pt }
  h1.long { font-size: 12pt }
  h2 { font-size: 12pt; margin-top: 0 }
  section + section > h2 { margin-top: 0 }
  .sheet { break-after: page; display: flex; flex-direction: column; min-height: 98.5vh }
  /* Tables take the height that is left on a page, so that it is full. */
  .sheet > * { margin-bottom: 0; flex: none }
  .sheet > .wide { display: grid; flex: 1 0 auto }
  #summary > .wide { display: block; flex: none }
  .sheet table { margin: .1rem 0 .3rem }
  .sheet td, .sheet tbody th { vertical-align: middle }
  #appendix, .proof { break-before: auto }
  .answers { font-size: 11pt }
  .answers p { margin: .12rem 0 }
  .maps, .beside, .hero { break-inside: avoid }
  .hero figure, .hero .maps { margin: 0 }
  h3 { margin: .7rem 0 .1rem }
  a { text-decoration: none }
  .swatch, .look > span, td.mark span, td.turned span, .bars i { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
@media screen and (max-width: 40rem) {
  nav ul { columns: 1 }
  .maps { grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)) }
  .beside, .hero { display: block }
  /* A row of a table becomes a paragraph, in which each cell repeats its heading. */
  .report table, .report tbody, .report tr, .report tbody th, .report td { display: block; text-align: left; border: 0; padding: .05rem 0; min-width: 0 }
  .report thead { display: none }
  .report caption { display: block }
  .report tr { border-bottom: 1px solid var(--faint); padding: .35rem 0 }
  .report tbody th { font-weight: 600 }
  .report td::before { content: attr(data-label) ": "; color: var(--quiet) }
  .report td:empty { display: none }
}
`;var x=`/* Common style of all our widgets: the frame, its head, buttons and fields. */
:host { display: block; --line: 1px solid var(--faint); }
.frame { position: relative; display: flex; flex-direction: column; background: var(--paper); color: var(--ink); border: var(--line); border-radius: 4px;
  font: 14px/1.4 system-ui, sans-serif; overflow: hidden; }
.frame .head { display: flex; align-items: center; justify-content: space-between; gap: 8px; padding: 6px 10px; border-block-end: var(--line); }
.frame h2 { margin: 0; font-size: 15px; }
.frame .notice { margin: 0; padding: 6px 10px; border-block-end: var(--line); color: var(--over); max-width: none; }
.frame :is(button, input, select) { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet); border-radius: 5px; padding: 4px 9px; }
.frame button.main { background: var(--focus); color: var(--paper); border-color: var(--focus); }
.frame :is(button, input, select, .map):focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }
.frame input[type="checkbox"], .frame input[type="radio"] { padding: 0; inline-size: auto; }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
.frame .head .buttons { display: flex; gap: 6px; }
.frame button[aria-pressed="true"] { background: var(--focus); color: var(--paper); }
`;function v(o,e,...t){let r=o.shadowRoot??o.attachShadow({mode:"open"}),i=new CSSStyleSheet;i.replaceSync(A([w,...t,x].join(`
`))),r.adoptedStyleSheets=[i],o.dataset.lmSuppressShortcuts="true";let n=a("div",{className:`frame ${C(e)?"dark":"light"}`});return r.replaceChildren(n),{root:r,frame:n}}function A(o){return o.replaceAll(":root",":host").replace(/(^|\n)(html, )?body \{[^}]*\}/g,`
`)}function C(o){let{body:e}=document;return o?o==="dark":e.dataset.jpThemeLight==="false"||e.classList.contains("dark")||e.classList.contains("vscode-dark")}var I=3,k=9,L=2,g=class{constructor(e,t){this.model=e,this.settings=e.get("settings");let{frame:r}=v(t,this.settings.theme,b);this.sliders=new Map,this.tables=a("div",{className:"tables",role:"region","aria-label":"Figures",tabIndex:0}),this.best=a("p",{className:"best",role:"status"});let i=u("As in the project",()=>this.take(structuredClone(this.settings.initial)));r.classList.add("board"),r.append(a("div",{className:"head"},a("h2",{},this.settings.title),a("span",{className:"buttons"},i)),a("div",{className:"beside"},a("form",{className:"sliders"},...this.settings.kinds.map((n,s)=>this.group(n,s===0))),a("div",{className:"answers"},this.best,this.tables))),this.told={state:()=>this.fill(),answer:()=>this.show()},e.on("change:state",this.told.state),e.on("change:answer",this.told.answer),this.fill(),this.show()}group({kind:e,title:t,unit:r,scale:i},n){let s=this.settings.systems.map(l=>{let{key:m,name:h,color:y,follows:z}=l,c=a("input",{type:"range",min:"0",step:"any","aria-label":`${t} of ${h}, ${r}`}),p=a("input",{type:"number",min:"0",step:"any",placeholder:"none","aria-label":`${t} of ${h}, ${r}, as a number`});this.sliders.set(`${e} ${m}`,{range:c,box:p}),c.addEventListener("input",()=>this.set(e,m,Number((Number(c.value)/i).toPrecision(I)))),p.addEventListener("input",()=>{p.validity.valid&&this.set(e,m,p.value===""?null:p.valueAsNumber/i)});let S=e==="rates"&&!z?a("small",{},"no diagram follows it"):null;return a("div",{className:"slider"},a("span",{className:"name"},f(y??"transparent"),h,S),c,p)}),d=a("details",{open:n},a("summary",{},`${t}s, ${r}`),...s);return d.dataset.kind=e,d}set(e,t,r){let i=this.model.get("state");this.take({...i,[e]:{...i[e],[t]:r}})}take(e){this.model.set("state",e),this.model.save_changes(),this.fill()}fill(){let e=this.model.get("state");for(let{kind:t,scale:r}of this.settings.kinds)for(let{key:i,most:n}of this.settings.systems){let s=this.sliders.get(`${t} ${i}`);if(!s)continue;let d=e[t][i],l=d===null?null:d*r,m=Math.max(n[t]*r,Number(s.range.max)||0);s.range.max=String(l!==null&&l>m?L*l:m),s.range.value=String(l??0),!j(s.box,l)&&(s.box.value=l===null?"":String(r===1?l:Number(l.toPrecision(k))))}}show(){let{tables:e,best:t}=this.model.get("answer");this.best.textContent!==t&&(this.best.textContent=t),this.tables.replaceChildren(...e.map(O))}close(){this.model.off("change:state",this.told.state),this.model.off("change:answer",this.told.answer)}};function j({value:o,valueAsNumber:e},t){return t===null?o==="":Math.abs(e-t)<=Math.abs(t)*10**-k}function O({caption:o,columns:e,rows:t}){let r=a("tr",{},a("th",{scope:"col",className:"text"},"System"),...e.map(i=>a("th",{scope:"col"},i)));return a("table",{},a("caption",{},o),a("thead",{},r),a("tbody",{},...t.map(({name:i,color:n,isTotal:s,cells:d})=>a("tr",{className:s?"total":""},a("th",{scope:"row",className:"text"},n&&f(n),i),...d.map(D)))))}function D({text:o,status:e,word:t,more:r}){return a("td",{className:e,title:r||void 0},o,t&&a("span",{className:"unseen"},` ${t}`))}var J={render({model:o,el:e}){let t=new g(o,e);return()=>t.close()}};export{J as default};
