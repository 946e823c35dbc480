// Diagrams' days: conversion to numbers, and sending them.

import { diagramOf } from "./diagram.js";
import { Refused } from "./failures.js";
import { t } from "./texts.js";

/** @import { Project } from "./project.js" */

const MILLISECONDS = 86_400_000;

/** The number of a day since 1970. @param {string} text YYYY-MM-DD */
export const dayNumber = (text) => Math.round(Date.parse(`${text}T00:00:00Z`) / MILLISECONDS);

/** YYYY-MM-DD. @param {number} number since 1970 */
export const dayText = (number) => new Date(number * MILLISECONDS).toISOString().slice(0, 10);

/** The same day of a month before or after, or the last day of a month that is shorter. @param {number} number @param {number} months */
export function inMonths(number, months) {
  const from = new Date(number * MILLISECONDS);
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1);
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate();
  return Math.round(first / MILLISECONDS) + Math.min(from.getUTCDate(), last) - 1;
}

/**
 * Sets a diagram's start and end days, unless somebody has changed them since they were shown.
 * @param {Project} project @param {number} id
 * @param {{start: string | null, end: string | null}} shown @param {{start: string, end: string}} next YYYY-MM-DD
 */
export async function setDays(project, id, shown, { start, end }) {
  const path = `${project.path}diagrams/${id}/`;
  const { body: row, etag } = await project.service.send("GET", path);
  const now = diagramOf(row);
  if (now.start !== shown.start || now.end !== shown.end) {
    await project.readDiagram(id);
    throw new Refused(412, t("daysChanged", { title: now.title }));
  }
  const body = { start_date: `${start}T00:00:00.000Z`, end_date: `${end}T00:00:00.000Z` };
  await project.service.send("PATCH", path, body, /** @type {Record<string, string>} */ (etag ? { "If-Match": etag } : {}));
  await project.readDiagram(id);
}
