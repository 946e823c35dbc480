// The icons of the pages, from Lucide, which `make web` bundles into web/vendor/icons.js: a list of [tag, attributes] each.
export {
  Ellipsis, Image, Lasso, Layers, ListFilter, MapPin, MessageSquarePlus, Minus, Maximize, Move, PanelLeft, Pencil, Pentagon, Plus, Printer,
  Redo2, Slice, Spline, Square, Trash2, Undo2, UnfoldVertical, X,
} from "lucide";
