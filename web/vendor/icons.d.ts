type Icon = [tag: string, attributes: Record<string, string | number>][];
export const Ellipsis: Icon, Image: Icon, Lasso: Icon, Layers: Icon, ListFilter: Icon, MapPin: Icon, MessageSquarePlus: Icon,
  Minus: Icon, Maximize: Icon, Move: Icon, PanelLeft: Icon, Pencil: Icon, Pentagon: Icon, Plus: Icon, Printer: Icon, Redo2: Icon, Slice: Icon,
  Spline: Icon, Square: Icon, Trash2: Icon, Undo2: Icon, UnfoldVertical: Icon, X: Icon;
