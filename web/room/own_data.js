// A person's data on the service, to download.

import { saveFile } from "./save_file.js";

/** @import { Project } from "./project.js" */

/** Saves all of the caller's data in this project as a JSON file. @param {Project} project */
export async function saveOwnData(project) {
  const { service, path, me } = project;
  const [history, votes] = await Promise.all([
    service.list(`${path}history/`, { user: me }), service.get(`${path}votes/`).then(({ votes: all }) => all).catch(() => []),
  ]);
  const mine = (/** @type {any} */ { username }) => username === me;
  const diagrams = [...project.diagrams.values()].filter(({ author }) => author === me).map(({ shapes, box, ...told }) => told);
  const data = {
    project: { id: project.id, title: project.title }, name: me, teams: project.teams.filter(({ members }) => members.includes(me)).map(({ title }) => title),
    diagrams, chosen: [...project.selection], votes: votes.filter(mine), comments: project.comments.filter(({ author }) => author === me), history,
  };
  saveFile(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }), `${me}.json`);
}
